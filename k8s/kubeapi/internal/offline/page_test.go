package offline_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The page shows what the program prints.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/validate.md")
	require.NoError(t, err)
	part := func(mark string) string {
		found := regexp.MustCompile("(?s)<!-- " + mark + " -->\n```[a-z]+\n(.*?)```\n").FindSubmatch(page)
		require.NotNil(t, found, mark)
		return string(found[1])
	}
	stdout, _, code := run(t, map[string]string{"shop.yaml": part("input")}, "", "-f", "shop.yaml")
	assert.Equal(t, part("output"), stdout)
	assert.Equal(t, 1, code)
}
