package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/flaketap/flaketap/internal/tcp"
	"golang.org/x/sys/unix"
)

// The rules of the kernel's that a transparent recorder needs, set over netlink as nft does it (linux/netfilter/nf_tables.h),
// so that no program need be installed. They are those that the recorder prints.

// natRule redirects connections to a port; unless marked, in all of them, those of the recorder's too.
type natRule struct {
	port, to uint16
	all      bool
}

// redirect sets the rules of this network namespace in the place of those there were. What the error says the kernel
// lacks it lacks.
func redirect(rules ...natRule) error {
	const table, chain = "flaketap", "output"
	nft := func(kind uint16, flags uint16, attrs ...[]byte) []byte {
		return nfMessage(unix.NFNL_SUBSYS_NFTABLES<<8|kind, flags, unix.NFPROTO_INET, 0, attrs...)
	}
	batch := func(kind uint16) []byte { return nfMessage(kind, 0, 0, unix.NFNL_SUBSYS_NFTABLES) }
	named := text(unix.NFTA_TABLE_NAME, table)
	messages := [][]byte{
		nft(unix.NFT_MSG_NEWTABLE, unix.NLM_F_CREATE, named), // so that there is one to delete
		nft(unix.NFT_MSG_DELTABLE, 0, named),
		nft(unix.NFT_MSG_NEWTABLE, unix.NLM_F_CREATE, named),
		nft(unix.NFT_MSG_NEWCHAIN, unix.NLM_F_CREATE, text(unix.NFTA_CHAIN_TABLE, table), text(unix.NFTA_CHAIN_NAME, chain),
			text(unix.NFTA_CHAIN_TYPE, "nat"), nested(unix.NFTA_CHAIN_HOOK,
				number(unix.NFTA_HOOK_HOOKNUM, unix.NF_INET_LOCAL_OUT), number(unix.NFTA_HOOK_PRIORITY, 1<<32-100))),
	}
	for _, r := range rules {
		messages = append(messages, nft(unix.NFT_MSG_NEWRULE, unix.NLM_F_CREATE|unix.NLM_F_APPEND,
			text(unix.NFTA_RULE_TABLE, table), text(unix.NFTA_RULE_CHAIN, chain), nested(unix.NFTA_RULE_EXPRESSIONS, r.expressions()...)))
	}
	all := batch(unix.NFNL_MSG_BATCH_BEGIN)
	for i, m := range messages {
		binary.NativeEndian.PutUint32(m[8:], uint32(i+1))
		all = append(all, m...)
	}
	return netlink(append(all, batch(unix.NFNL_MSG_BATCH_END)...), len(messages))
}

// expressions are what a rule consists of.
func (r natRule) expressions() [][]byte {
	const register = unix.NFT_REG_1
	meta := func(key uint32) []byte {
		return expression("meta", number(unix.NFTA_META_DREG, register), number(unix.NFTA_META_KEY, key))
	}
	compare := func(op uint32, with []byte) []byte {
		return expression("cmp", number(unix.NFTA_CMP_SREG, register), number(unix.NFTA_CMP_OP, op),
			nested(unix.NFTA_CMP_DATA, attribute(unix.NFTA_DATA_VALUE, with)))
	}
	all := [][]byte{
		meta(unix.NFT_META_L4PROTO), compare(unix.NFT_CMP_EQ, []byte{unix.IPPROTO_TCP}),
		expression("payload", number(unix.NFTA_PAYLOAD_DREG, register), number(unix.NFTA_PAYLOAD_BASE, unix.NFT_PAYLOAD_TRANSPORT_HEADER),
			number(unix.NFTA_PAYLOAD_OFFSET, 2), number(unix.NFTA_PAYLOAD_LEN, 2)),
		compare(unix.NFT_CMP_EQ, binary.BigEndian.AppendUint16(nil, r.port)),
	}
	if !r.all {
		all = append(all, meta(unix.NFT_META_MARK), compare(unix.NFT_CMP_NEQ, binary.NativeEndian.AppendUint32(nil, tcp.Mark)))
	}
	return append(all,
		expression("immediate", number(unix.NFTA_IMMEDIATE_DREG, register), nested(unix.NFTA_IMMEDIATE_DATA,
			attribute(unix.NFTA_DATA_VALUE, binary.BigEndian.AppendUint16(nil, r.to)))),
		expression("redir", number(unix.NFTA_REDIR_REG_PROTO_MIN, register)))
}

// attribute is one value of a netlink message, padded to four bytes.
func attribute(kind uint16, data []byte) []byte {
	b := binary.NativeEndian.AppendUint16(nil, uint16(4+len(data)))
	b = append(binary.NativeEndian.AppendUint16(b, kind), data...)
	return append(b, make([]byte, -len(b)&3)...)
}

func nested(kind uint16, attrs ...[]byte) []byte {
	var all []byte
	for _, a := range attrs {
		all = append(all, a...)
	}
	return attribute(kind|unix.NLA_F_NESTED, all)
}

func text(kind uint16, s string) []byte { return attribute(kind, append([]byte(s), 0)) }

func number(kind uint16, n uint32) []byte {
	return attribute(kind, binary.BigEndian.AppendUint32(nil, n))
}

func expression(name string, attrs ...[]byte) []byte {
	return nested(unix.NFTA_LIST_ELEM, text(unix.NFTA_EXPR_NAME, name), nested(unix.NFTA_EXPR_DATA, attrs...))
}

// nfMessage is a message to netfilter; those that are to be acknowledged have a family.
func nfMessage(kind, flags uint16, family byte, resource uint16, attrs ...[]byte) []byte {
	flags |= unix.NLM_F_REQUEST
	if family != 0 {
		flags |= unix.NLM_F_ACK
	}
	b := make([]byte, unix.SizeofNlMsghdr)
	binary.NativeEndian.PutUint16(b[4:], kind)
	binary.NativeEndian.PutUint16(b[6:], flags)
	b = binary.BigEndian.AppendUint16(append(b, family, unix.NFNETLINK_V0), resource)
	for _, a := range attrs {
		b = append(b, a...)
	}
	binary.NativeEndian.PutUint32(b, uint32(len(b)))
	return b
}

// netlink sends messages to netfilter and waits until so many are acknowledged.
func netlink(messages []byte, count int) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_NETFILTER)
	if err != nil {
		return fmt.Errorf("open netlink: %w", err)
	}
	defer unix.Close(fd)
	if err := unix.Sendto(fd, messages, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return fmt.Errorf("send to netlink: %w", err)
	}
	var failed error
	for buf := make([]byte, 1<<16); count > 0; {
		n, _, err := unix.Recvfrom(fd, buf, 0)
		if err != nil {
			return fmt.Errorf("receive from netlink: %w", err)
		}
		answers, err := syscall.ParseNetlinkMessage(buf[:n])
		if err != nil {
			return fmt.Errorf("read netlink: %w", err)
		}
		for _, m := range answers {
			if m.Header.Type != unix.NLMSG_ERROR {
				continue
			}
			if code := -int32(binary.NativeEndian.Uint32(m.Data)); code != 0 && failed == nil {
				failed = fmt.Errorf("rule %d: %w", m.Header.Seq, syscall.Errno(code))
			}
			count--
		}
		if failed != nil {
			return failed // of a batch that failed, not all is acknowledged
		}
	}
	return nil
}

// raiseLoopback makes a new network namespace reachable for itself.
func raiseLoopback(t *testing.T) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err == nil {
		err = unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, lo)
	}
	if err == nil {
		lo.SetUint16(lo.Uint16() | unix.IFF_UP)
		err = unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
	}
	if err != nil {
		t.Fatal(errors.Join(errors.New("raise lo"), err))
	}
}
