// For the description of a plain file, which libemulator.a supplies. Included before every emulated source.
#pragma once

#ifdef PLUGIN_NAME
extern "C" __attribute__((weak, used, visibility("hidden"))) const char emulator_plugin_name[] = PLUGIN_NAME;
#endif
