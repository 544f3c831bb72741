#pragma once
#include "emulator/thread.h"
