package resource_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestNameRules(t *testing.T) {
	for _, c := range []struct {
		rule      rest.NameRule
		good, bad []string
	}{
		{rest.NameDNSSubdomain, []string{"a", "a.b-c", "1"}, []string{"A", "a_b", "-a", "a..b", "a:b"}},
		{rest.NameDNSLabel, []string{"a", "1-a"}, []string{"a.b", "A"}},
		{rest.NameDNS1035Label, []string{"a", "a-1"}, []string{"1-a", "a.b"}},
		{rest.NamePathSegment, []string{"A_b:C", "system:node~1", "ü"}, []string{"..", "a/b", "a%62"}},
	} {
		api := apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) { r.Names.Rule = c.rule })
		for _, name := range c.good {
			assert.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"`+name+`"`)).Code, name)
		}
		for _, name := range c.bad {
			a := apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"`+name+`"`))
			assert.Equal(t, 422, a.Code, name)
			assert.Equal(t, "metadata.name", a.Text(t, "details.causes.0.field"))
		}
	}
}
