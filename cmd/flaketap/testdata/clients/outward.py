"""Sends to names and addresses of other machines in the ways that there are, waits for no answer, and leaves a file."""
import os
import socket
import struct
import sys

V4, V6, SERVER = "192.0.2.10", "2001:db8::10", "192.0.2.53"
QUERY = struct.pack("!6H", 7, 256, 1, 0, 0, 0) + b"\5rates\7example\3com\0" + struct.pack("!2H", 1, 1)


def connect(family, host, port, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as s:
        s.settimeout(0.2)
        s.connect((host, port))
        s.send(b"x")


def raw():
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as s:
        s.sendto(struct.pack("!BBHHH", 8, 0, 0xF7FF, 0, 0), (V4, 0))


def by_name():
    for *_, address in socket.getaddrinfo("rates.example.com", 443, socket.AF_INET, socket.SOCK_STREAM):
        connect(socket.AF_INET, *address)


def send(family, host, port, data=b"x"):
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        s.sendto(data, (host, port))
        s.sendmsg([data], [], 0, (host, port))


WAYS = [
    by_name,
    raw,
    lambda: connect(socket.AF_INET, V4, 80),
    lambda: connect(socket.AF_INET6, V6, 443),
    lambda: connect(socket.AF_INET6, "::ffff:" + V4, 81),
    lambda: connect(socket.AF_INET, V4, 443, socket.SOCK_DGRAM),
    lambda: connect(socket.AF_INET6, V6, 443, socket.SOCK_DGRAM),
    lambda: connect(socket.AF_INET, SERVER, 53),
    lambda: send(socket.AF_INET, V4, 8125),
    lambda: send(socket.AF_INET6, V6, 8125),
    lambda: send(socket.AF_INET, SERVER, 53, QUERY),
]


def all_ways():
    for way in WAYS:
        try:
            way()
        except OSError:
            pass  # it is refused, or nobody answers


all_ways()
if os.fork() == 0:  # and as a daemon, whose parents have ended
    os.setsid()
    if os.fork() == 0:
        all_ways()
        with open(sys.argv[1], "w") as done:
            done.write("done")
    os._exit(0)
os.wait()
