package e2e_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kubectl sends the file of a List as a transaction, and shows the Status of one that is refused.
func TestTransactions(t *testing.T) {
	text, err := os.ReadFile("../../../examples/warehouse/delivery.yaml")
	require.NoError(t, err)
	delivery := string(text)
	for _, k := range kubectls {
		t.Run(k.version, func(t *testing.T) {
			s := startServer(t, host{program: "warehouse"}, k)
			path := s.rawPath(t, "/extensions/transactions")
			names := func() string { return s.run(t, "get", "stocks", "-n", "default", "-o", "name") }
			assert.Contains(t, s.run(t, "get", "--raw", s.rawPath(t, "/")), `"/extensions/transactions"`)

			bad := strings.Replace(delivery, "count: 10", "count: -1", 1)
			complaint := s.refused(t, bad, "create", "--raw", path, "-f", "-")
			assert.Contains(t, complaint, `items[1].spec.count: Stock "quito": Invalid value: -1`)
			s.feed(t, delivery, "create", "--raw", path+"?dryRun=All", "-f", "-")
			assert.Empty(t, names())

			answer := s.feed(t, delivery, "create", "--raw", path, "-f", "-")
			var list struct {
				Kind  string
				Items []struct {
					Metadata struct{ Name, ResourceVersion string }
				}
			}
			require.NoError(t, json.Unmarshal([]byte(answer), &list), answer)
			assert.Equal(t, "List", list.Kind)
			require.Len(t, list.Items, 2)
			assert.Equal(t, "quito", list.Items[1].Metadata.Name)
			assert.NotEmpty(t, list.Items[1].Metadata.ResourceVersion)
			assert.Equal(t, "stock.warehouse.example.com/lima\nstock.warehouse.example.com/quito\n", names())
		})
	}
}
