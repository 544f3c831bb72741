#!/usr/bin/env python3
"""Proves 90_nccl_grid across hosts by processes of one machine that stand for them: right products, and clear failures.

usage: hosts.py LIBRARY [PROCESSES]     e.g. hosts.py build/plugins/cuda/90_nccl_grid.so 2

Each process has GPUs of its own, all as many, and a host's name of its own (NCCL_HOSTID); NCCL talks through sockets,
neither shared memory nor peer copies. Processes have different numbers of rows, and B is null but on rank 0. A line a
case says what each process got; the last one is "N passed, N failed". Exit status 1 if a case has failed.
"""

import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import multi

TIMEOUT_S = 10
# name: N, K, whether all are to fail, what differs on the last process
CASES = {
    "ragged": (517, 389, False, None),
    "one process has no rows": (300, 200, False, "no rows"),
    "long": (20000, 700, False, None),
    "large": (8192, 4096, False, None),
    "one has another N": (517, 389, True, "N"),
    "one ends before its second call": (517, 389, True, "ends"),
    "one does not come": (517, 389, True, "absent"),
}


def be_rank(path, case, rank, world):
    """One process: two calls. Prints what came of the last one."""
    N, K, _, oddity = CASES[case]
    odd = oddity if rank == world - 1 else None
    if odd == "absent":
        return print("did not come")
    M = 0 if odd == "no rows" else 333 + 1000 * rank
    N += odd == "N"
    library = ctypes.CDLL(path)
    library.solve_last_error.restype = ctypes.c_char_p
    a, b, c = multi.matrix(M * N, True, 1 + rank), multi.matrix(N * K, True, 100), multi.matrix(M * K, True, None)
    for call in range(2):
        if odd == "ends" and call == 1:
            return print("ended")
        start = time.perf_counter()
        library.solve(a, b if rank == 0 else None, c, M, N, K)
        seconds = time.perf_counter() - start
        if error := library.solve_last_error():
            return print(f"error of call {call + 1} after {seconds:.1f} s: {error.decode()}")
    wrong = multi.wrong_elements(a, b, c, M, N, K) if M else 0
    print(f"{wrong} elements wrong" if wrong else f"right, {M} rows, {seconds:.3f} s")


def gpus():
    shown = os.environ.get("CUDA_VISIBLE_DEVICES")
    if shown:
        return shown.split(",")
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout
    return [str(i) for i in range(len(listed.splitlines()))]


def run_case(path, case, world):
    each = gpus()
    share = len(each) // world
    if share == 0:
        sys.exit(f"hosts.py: {world} processes need a GPU each, and there are {len(each)}")
    with tempfile.TemporaryDirectory() as folder:
        processes = []
        for rank in range(world):
            environment = dict(
                os.environ, SOLVE_RANK=str(rank), SOLVE_WORLD=str(world), SOLVE_RENDEZVOUS=f"{folder}/meet",
                SOLVE_TIMEOUT=str(TIMEOUT_S), CUDA_VISIBLE_DEVICES=",".join(each[rank * share:(rank + 1) * share]),
                NCCL_HOSTID=f"host{rank}", NCCL_P2P_DISABLE="1", NCCL_SHM_DISABLE="1", NCCL_NET="Socket")
            environment.pop("NCCL_DEBUG", None)  # it may print to stdout
            command = [sys.executable, __file__, path, "--rank", case, str(rank), str(world)]
            processes.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True))
        start, said = time.perf_counter(), []
        try:
            for process in processes:
                try:
                    left = max(1.0, start + 60 - time.perf_counter())
                    said.append(process.communicate(timeout=left)[0].strip())
                except subprocess.TimeoutExpired:
                    said.append("hung")
        finally:
            for process in processes:
                process.kill()
                process.wait()
    return said


def is_as_wanted(said, all_fail, oddity):
    if not all_fail:
        return all(text.startswith("right") for text in said)
    others = said if oddity == "N" else said[:-1]
    return all(text.startswith("error of call 2" if oddity == "ends" else "error of call 1") for text in others)


def main(path, world):
    if world < 2:
        sys.exit("hosts.py: two processes at least")
    passed = 0
    for case, (_, _, all_fail, oddity) in CASES.items():
        said = run_case(path, case, world)
        good = is_as_wanted(said, all_fail, oddity)
        passed += good
        print("ok" if good else "FAILED", case, flush=True)
        for rank, text in enumerate(said):
            print(f"    {rank}: {text or 'no word'}", flush=True)
    print(f"{passed} passed, {len(CASES) - passed} failed")
    sys.exit(passed != len(CASES))


if __name__ == "__main__":
    if len(sys.argv) == 6 and sys.argv[2] == "--rank":
        be_rank(sys.argv[1], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    elif len(sys.argv) in (2, 3):
        main(str(pathlib.Path(sys.argv[1]).resolve()), int(sys.argv[2]) if len(sys.argv) == 3 else 2)
    else:
        sys.exit(__doc__)
