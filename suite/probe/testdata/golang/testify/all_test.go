package testify

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/stretchr/testify/suite"
)

func say(words string) { fmt.Println("<" + words + ">") }

func same(t *testing.T, a, b any) {
	t.Helper()
	require.Equal(t, a, b)
	say("in helper")
}

func TestRequire(t *testing.T) {
	require.Equal(t, 1, 2, "first")
	say("behind Equal")
	require.NotNilf(t, nil, "second")
	say("behind NotNilf")
	same(t, 1, 2)
	r := require.New(t)
	r.True(false)
	say("behind True")
	require.New(t).Len("a", 2)
	say("behind Len")
	if !assert.Equal(t, 1, 2) {
		return
	}
	say("behind return")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, 1, 2)
		say("wrong")
	}, 20*time.Millisecond, 5*time.Millisecond)
	say("behind Eventually")
	require.NoError(t, nil)
	err := errors.New("refused")
	require.Nil(t, err)
	say("wrong")
}

func TestNoError(t *testing.T) {
	require.NoError(t, errors.New("refused"))
	say("wrong")
}

type shop struct {
	suite.Suite
	items []int
}

func (s *shop) SetupTest() { s.items = nil }

func (s *shop) TestIt() {
	s.Require().Equal(1, 2)
	say("in suite")
	s.Require().Len(s.items, 1)
	s.Equal(1, s.items[0])
	say("wrong")
}

type late struct{ suite.Suite }

func (s *late) SetupTest() {
	s.Require().True(false)
	say("wrong")
}

func (s *late) TestLate() { say("wrong") }

func TestSuites(t *testing.T) {
	suite.Run(t, new(shop))
	suite.Run(t, &late{})
}
