// Package intercept brings the connections that a started process makes to other machines here, whatever the language
// it is written in, without root and without changing it. There are several ways to do so, [Engines], which differ in
// where they work and in what they see; [Choose] tries them. Each makes an [Interceptor], which gives the connections
// to a service to a listener of that service. [Stage] is what the processes of this program do that stand between.
//
// # By seccomp, on Linux
//
// The process is started by a stage, another process of this program (launch_linux.go). It installs a filter of seccomp
// in one of its threads, hands the filter's listener over a Unix socket, and starts the process from that thread, which
// so has the filter too. It stays as the parent of all that comes of it, daemons too, and ends them when the
// interceptor has gone. From then on the kernel stops the system calls by which a process names another end (connect,
// and sendto, sendmsg, sendmmsg with an address) and asks the interceptor what becomes of each (seccomp_unotify(2)):
//
//  1. The address is read from the process's memory (sockaddr.go).
//  2. It is decided what becomes of it (decide.go): what is of this machine passes; port 53 leads to a name server of
//     our own (dns.go), which gives every name a loopback address (names.go); a TCP connection to such an address, or
//     to one of another machine, leads to the listener of that service; all else is refused, and told.
//  3. It is done, in one of two ways. The socket is duplicated into this process and connected here, where the system
//     lets it be (pidfd_getfd); the process's memory stays as it is. Elsewhere, as in a container of Docker's, the
//     address in its memory is written anew and the call goes on. The second way is taken for datagrams with an
//     address, too, since resolvers compare where an answer comes from with the address that they sent to.
//
// Some sockets reach other machines by none of these calls: those of frames, and of SCTP, whose options connect; those
// that join a multicast group, of which the kernel tells; those bound to a device or a route, by which even what is for
// loopback leaves. The kernel asks about socket and setsockopt with such arguments alone, and each is refused, unless
// it takes an option back (sockets_linux.go).
//
// Resolvers that connect their socket look at who answers as well, so a socket that was led to the name server is told
// the address that it wanted (recvfrom_linux.go), where it can be duplicated. Elsewhere processes find a
// /etc/resolv.conf of ours, if the name server can have port 53, which is all that such a file can name: the kernel
// asks about files that are opened to be read, too, and who opens that one is given ours (opened_linux.go). All
// resolvers ask our name server by themselves then, whatever calls they do it with.
//
// # By a network of its own, on Linux
//
// The process is started by two stages (inhabit_linux.go): the second lives in namespaces of its own, for users,
// network and mounts, where it makes every address one of loopback and leads every connection to one port
// (furnish_linux.go). Sockets belong to the network in which they were made, whoever has them: the stage makes the
// listeners, and the sockets by which one connects to a process there, and hands them over, so that all the work is
// done here (home_linux.go). Where the process listens, this machine does too. Datagrams are relayed both ways, to who
// takes them at localhost on the other side (datagrams_linux.go).
//
// # By variables
//
// The process is given a proxy, and variables of its own that name a service name the listener of that service instead
// (proxy.go). What heeds neither goes past it: this engine alone fails open, says so ([Engine.Blind]), and is taken
// only where it is named.
//
// # Fail closed
//
// By seccomp, what cannot be read, understood or led ends with ECONNREFUSED, a socket or an option as where there is
// none of its kind, and in [Interceptor.Refused]. What came after the interceptor has gone fails too: the kernel
// answers ENOSYS where nobody listens, to files that are asked about as well. Where ours cannot be given, the real one
// is opened, and who asks the name servers of that is led. Calls of io_uring, by which a connection could be made past
// the filter, and system calls of another architecture do not exist in there (ENOSYS). A network of its own has no way
// out, whatever the process does.
//
// # What is not covered
//
// What a process asks another one to do for it: a container that is started through Docker's socket, a daemon that
// hands it a connected socket. What root has the kernel do otherwise than by a socket: a file system of the network
// that is mounted, a device of its own. A program that is set-user-ID runs without its privileges. Programs that change
// the address between our look and the kernel's are not defended against: the process is one under test, not an enemy.
package intercept
