// The plugins that a linked program's calls go to, loaded when they are first asked for and never unloaded: a GPU may
// still be at work with them, and a program may multiply until its end.
#pragma once

#include <cstdint>
#include <string>

#include "../loader.hpp"

namespace linked {

// The plugin for matrices in this memory, one of enum solve_memory; 0: for those of a program that does not choose.
// Throws sgemm_ladder::Error with SOLVE_UNSUPPORTED if there is none, or none that can be loaded.
const sgemm_ladder::Plugin& engine(uint32_t memory);

// The one for chains in a GPU's memory, where the plugin above has none. Throws as above.
const sgemm_ladder::Plugin& chain_engine();

}  // namespace linked
