package seentestify

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSeen(t *testing.T) {
	assert.Equal(t, "old", "new")
	a := assert.New(t)
	a.Equal(1, 2)
	require.Equal(t, 4, 3.5)
	require.Len(t, []int{1}, 2)
}
