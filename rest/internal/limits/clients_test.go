package limits_test

import (
	"testing"

	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestMain(m *testing.M) { apitest.RunWithClients(m) }
