"""Sends to names and addresses of other machines in the ways that there are, waits for no answer, and leaves a file."""
import ctypes
import os
import socket
import struct
import sys
import time

V4, V6, SERVER = "192.0.2.10", "2001:db8::10", "192.0.2.53"
NO_FAMILY, FRAME, BOUND, ROUTE = "192.0.2.11", "192.0.2.12", "127.0.0.9", "192.0.2.13"
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


def of_no_family():
    libc = ctypes.CDLL(None)
    to = bytes(2) + struct.pack("!H", 8125) + socket.inet_aton(NO_FAMILY) + bytes(8)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        libc.sendto(s.fileno(), b"x", 1, 0, to, len(to))


def join(family, level, option, request):
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        s.setsockopt(level, option, request)
        time.sleep(0.2)  # the kernel tells of it a moment later, and not once the socket is closed


def frame(family, kind):
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20, 0, 0, 1, 17, 0, socket.inet_aton("198.18.0.1"), socket.inet_aton(FRAME))
    with socket.socket(family, kind, socket.htons(0x800)) as s:
        s.bind(("out", 0x800))
        s.send(bytes([2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0]) + head)


def bound(level, option, request):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.setsockopt(level, option, request)
        s.sendto(b"x", (BOUND, 8125))


def by_route():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, bytes([131, 7, 4]) + socket.inet_aton(ROUTE) + bytes([0]))
        s.sendto(b"x", ("127.0.0.1", 8125))


def index():
    return socket.if_nametoindex("out")


WAYS = [
    by_name,
    raw,
    of_no_family,
    lambda: join(socket.AF_INET, socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                 socket.inet_aton("239.1.2.3") + socket.inet_aton("198.18.0.1")),
    lambda: join(socket.AF_INET6, socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP,
                 socket.inet_pton(socket.AF_INET6, "ff0e::77") + struct.pack("=I", index())),
    lambda: frame(socket.AF_PACKET, socket.SOCK_RAW),
    lambda: bound(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"out"),
    lambda: bound(socket.IPPROTO_IP, 50, struct.pack("!I", index())),  # IP_UNICAST_IF
    by_route,
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
