"""A filter of system calls, for what Landlock has no rights for: sockets, modes and times of files, other processes.

A seccomp filter needs no privileges, binds every thread of the process and all that it starts, and is never taken off.
A call that it refuses fails with ``EPERM``, and the process goes on.
"""

import ctypes
import errno
import fcntl
import os
import platform
import struct
import sys
import termios
from collections.abc import Iterator

MACHINES = {"x86_64": (0xC000003E, 317), "aarch64": (0xC00000B7, 277)}
"""Processor -> the kernel's number of it, and of the system call ``seccomp``."""
CALLS = """
    socket 41 198, socketpair 53 199, connect 42 203, io_uring_setup 425 425, execve 59 221, execveat 322 281,
    chmod 90 -, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, chown 92 -, fchown 93 55, lchown 94 -,
    fchownat 260 54, utime 132 -, utimes 235 -, futimesat 261 -, utimensat 280 88, file_setattr 469 469,
    setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7, setxattrat 463 463,
    removexattr 197 14, lremovexattr 198 15, fremovexattr 199 16, removexattrat 466 466,
    open 2 -, openat 257 56, openat2 437 437, truncate 76 45, fcntl 72 25, ioctl 16 29, prlimit64 302 261,
    kill 62 129, tkill 200 130, tgkill 234 131, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240,
    pidfd_send_signal 424 424, pidfd_getfd 438 438, ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271
"""
"""System calls that are refused, with the numbers on x86_64 and aarch64. Requests to io_uring pass no filter."""
WHOLE, OPENED = 0xFFFFFFFF, os.O_ACCMODE | os.O_TRUNC
SOME = {
    # Landlock before version 3 lets a process empty files, these calls by opening them for reading.
    "open": ((1, OPENED, os.O_RDONLY | os.O_TRUNC),),
    "openat": ((2, OPENED, os.O_RDONLY | os.O_TRUNC),),
    # F_SETOWN_EX, FIOSETOWN and SIOCSPGRP, too, say whom the kernel signals when a file can be read; TIOCSTI and
    # TIOCLINUX type into a terminal.
    "fcntl": ((1, WHOLE, fcntl.F_SETOWN), (1, WHOLE, 15)),
    "ioctl": tuple((1, WHOLE, number) for number in (0x8901, 0x8902, termios.TIOCSTI, 0x541C)),
}
"""System calls that are refused where an argument has a value: its place, the bits that count, and their value."""
ALLOW, FAIL = 0x7FFF0000, 0x00050000
REFUSE = FAIL | errno.EPERM
LOAD, AND, EQUALS, AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
"""Instructions of the filter."""
FILTER, ALL_THREADS, AVAILABLE = 1, 1, 2


def offered() -> bool:
    """Whether kernel and processor have the filter."""
    if sys.platform != "linux" or platform.machine() not in MACHINES or sys.maxsize < 2**32:
        return False
    return not _seccomp(AVAILABLE, 0, ctypes.byref(ctypes.c_uint32(FAIL)))


def refuse() -> None:
    """Refuse ``CALLS`` to this process, its threads and whatever they start; they may raise signals in it alone.

    Raises:
        OSError: the kernel cannot, which ``offered`` tells before, or privileges can still be gained
            (``PR_SET_NO_NEW_PRIVS``).
    """
    program = b"".join(_program())
    held = ctypes.create_string_buffer(program)
    described = struct.pack("@HP", len(program) // 8, ctypes.addressof(held))
    if failed := _seccomp(FILTER, ALL_THREADS, described):
        number = ctypes.get_errno() if failed < 0 else errno.EBUSY
        raise OSError(number, os.strerror(number), "seccomp")


def _seccomp(*arguments: object) -> int:
    return ctypes.CDLL(None, use_errno=True).syscall(MACHINES[platform.machine()][1], *arguments)


def _program() -> Iterator[bytes]:
    """Instructions of the filter: they look at the processor, then at the number, and at arguments of some calls."""
    machine = platform.machine()
    yield from (_do(LOAD, 4), _do(EQUALS, MACHINES[machine][0], 1, 0), _do(RETURN, REFUSE), _do(LOAD, 0))
    if machine == "x86_64":
        # Further calls with numbers of their own, which do the same.
        yield from (_do(AT_LEAST, 0x40000000, 0, 1), _do(RETURN, REFUSE))
    own = (0, WHOLE, os.getpid())
    # Signal 0 asks whether a process is there.
    allowed = {"kill": (own, (1, WHOLE, 0)), "tgkill": (own,), "prlimit64": ((0, WHOLE, 0),)}
    for name, *numbers in (call.split() for call in CALLS.split(",")):
        number = numbers[list(MACHINES).index(machine)]
        if number == "-":
            continue
        where = SOME.get(name, allowed.get(name, ()))
        answer, otherwise = (REFUSE, ALLOW) if name in SOME else (ALLOW, REFUSE)
        yield _do(EQUALS, int(number), 0, 4 * len(where) + 1)
        for place, mask, value in where:
            yield from (_do(LOAD, 16 + 8 * place), _do(AND, mask), _do(EQUALS, value, 0, 1), _do(RETURN, answer))
        yield _do(RETURN, otherwise)
    yield _do(RETURN, ALLOW)


def _do(what: int, value: int, if_so: int = 0, else_: int = 0) -> bytes:
    return struct.pack("HBBI", what, if_so, else_, value)
