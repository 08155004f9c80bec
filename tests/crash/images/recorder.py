# A disk for nbdkit that writes down every write and flush, in the order they reached it.
#
# The trace has, for each, a byte (1 write, 2 flush), the offset (u64) and the length (u32), little
# endian, and behind a write its data. Requests come one at a time, so that a write which stands
# before a flush had ended when the flush came.

import os
import struct

API_VERSION = 2
settings = {}


def config(key, value):
    settings[key] = value


def get_ready():
    settings["file"] = os.open(settings["disk"], os.O_RDWR)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    settings["log"] = os.open(settings["trace"], flags)


def open(readonly):
    return 1


def get_size(handle):
    return os.fstat(settings["file"]).st_size


def pread(handle, buffer, offset, flags):
    os.preadv(settings["file"], [buffer], offset)


def pwrite(handle, buffer, offset, flags):
    os.pwrite(settings["file"], buffer, offset)
    head = struct.pack("<BQI", 1, offset, len(buffer))
    os.writev(settings["log"], [head, buffer])


def flush(handle, flags):
    os.write(settings["log"], struct.pack("<BQI", 2, 0, 0))
