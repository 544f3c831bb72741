"""Where plugins lie, and which one is taken if none is named."""

import functools
import os
import pathlib

from ._plugin import Error, Plugin

HERE = pathlib.Path(__file__).resolve().parent

OWN = (HERE / "plugins", HERE.parents[2] / "build" / "plugins", pathlib.Path("/usr/local/lib/sgemm-ladder"),
       pathlib.Path("/usr/lib/sgemm-ladder"))
# The first that is there. The emulator's is right, and slow.
BEST_ON_GPU = ("cuda/90_dispatch",)
BEST_ON_HOST = ("cpu/20_packed", "cpu/90_openblas", "emulator/90_dispatch")


def folders():
    """Those of the wheel, else of the source tree (build/plugins), else of `make install`; and of SGEMM_LADDER_PATH."""
    return [folder for folder in OWN if folder.is_dir()][:1] + [folder for folder in _users() if folder.is_dir()]


def _users():
    return [pathlib.Path(name) for name in os.environ.get("SGEMM_LADDER_PATH", "").split(":") if name]


def plugins():
    """Every plugin that is found and can be loaded, in the order of the ladder."""
    found = []
    for folder in folders():
        files = [*folder.glob("*.so"), *folder.glob("*/*.so")]
        for path in sorted(files, key=lambda path: (path.parent.name, path.name)):
            try:
                found.append(load(path))
            except Error:
                pass  # for another machine: without a CUDA Toolkit the rungs that call cuBLAS cannot be loaded
    return found


def find(names):
    """The file of the first of these plugins ("cuda/90_dispatch") that is there, or None."""
    paths = [folder / (name + ".so") for name in names for folder in folders()]
    return next((path for path in paths if path.exists()), None)


def load(path):
    """A plugin by its file, which is loaded once."""
    return _load(os.path.realpath(path))


@functools.lru_cache(maxsize=None)
def _load(path):
    return Plugin(path)


def best(on_gpu, plugin=None):
    """The plugin that is named, or the one to take for arrays there. Error if its pointers are of the other kind."""
    if plugin is None:
        return _first_choice(on_gpu, os.environ.get("SGEMM_LADDER_PATH"))
    chosen = plugin if isinstance(plugin, Plugin) else load(plugin)
    if chosen.takes_device_pointers != on_gpu:
        takes = "arrays on a GPU" if chosen.takes_device_pointers else "arrays in host memory"
        raise Error(f"{chosen.name} takes {takes}, and these are not")
    return chosen


@functools.lru_cache(maxsize=None)  # to look through the folders takes 100 us
def _first_choice(on_gpu, _path):
    wanted = BEST_ON_GPU if on_gpu else BEST_ON_HOST
    path = find(wanted)
    if path is None:
        where = ", ".join(str(folder) for folder in folders() or (*OWN, *_users()))
        raise Error(f"no {' or '.join(wanted)} in {where}: `make run` builds them, and SGEMM_LADDER_PATH names further "
                    "folders")
    return load(path)
