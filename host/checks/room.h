// Is there room for a product?
#pragma once

#include "device/device.h"
#include "values/gemm_form.h"
#include "values/shape.h"

namespace judge {

// Throws OutOfMemory, with what the matrices take and what there is, if they do not all fit.
void require_room(Device& device, const Shape& shape, const GemmForm& form = {});

}  // namespace judge
