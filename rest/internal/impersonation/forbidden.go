package impersonation

import (
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/status"
)

// notHTML escapes what a browser could take for markup, as kube-apiserver does.
var notHTML = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Forbidden returns the 403 for an access that its user does not have. If the reason is not empty, it follows the words
// of kube-apiserver.
func Forbidden(a access.Access, reason string) *status.Error {
	text := notHTML.Replace(words(a))
	if reason != "" {
		text += ": " + reason
	}
	return status.Forbidden(apimeta.GroupResource{Group: a.Group, Resource: a.Resource}, a.Name, text)
}

func words(a access.Access) string {
	if a.Resource == "" {
		return fmt.Sprintf("User %q cannot %s path %q", a.User.Name, a.Verb, a.Path)
	}
	resource := a.Resource
	if a.Subresource != "" {
		resource += "/" + a.Subresource
	}
	where := "at the cluster scope"
	if a.Namespace != "" {
		where = fmt.Sprintf("in the namespace %q", a.Namespace)
	}
	return fmt.Sprintf("User %q cannot %s resource %q in API group %q %s", a.User.Name, a.Verb, resource, a.Group, where)
}
