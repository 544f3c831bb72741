// A call of a plugin at a shape that nobody asked for: where else is it right, and if nowhere, what does it compute?
#pragma once

#include <string>
#include <vector>

#include "values/json_fwd.h"
#include "values/record.h"
#include "values/shape.h"

namespace judge {

struct Trial {
    // product: C = A * B, or E = A * B * C where the shape is a chain's, as abi/solve.h has it. exchanged: the same
    // with the sizes given as M, K, N. layouts: one call, and a search for the other product that C may be. precision:
    // the probes of the class, at several shapes. promises: what else abi/solve.h says (checks/interface_check.h).
    // negative: calls with a negative size, and a product after them. null_pointers: the same with matrices that are
    // not there.
    enum class Kind { product, exchanged, layouts, precision, promises, negative, null_pointers };

    Kind kind = Kind::product;
    Shape shape;
    int misalignment = 0;             // in floats, see Problem
    bool drawn = false;               // at sizes that this run has drawn
    bool alone = false;               // in a process that has made no other calls but trials
    Status status = Status::crashed;  // until it has come to an end; layouts: ok if an explanation was found
    std::string message;              // why it is not ok; layouts: the explanation
    double seconds = 0;               // of CPU time that a product took, where it was executed

    bool right() const { return status == Status::ok; }
    bool is_same_call(const Trial& other) const {
        return kind == other.kind && shape == other.shape && misalignment == other.misalignment;
    }
    bool operator==(const Trial&) const = default;
};

// Into the list, in place of the same one that had not come to an end.
void learn(std::vector<Trial>& trials, const Trial& trial);

// What the worker is doing, for people: "trying 5x0x7".
std::string to_string(const Trial& trial);

void to_json(Json& json, const Trial& trial);
void from_json(const Json& json, Trial& trial);

}  // namespace judge
