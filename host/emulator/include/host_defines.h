#pragma once
#include "emulator/qualifiers.h"
