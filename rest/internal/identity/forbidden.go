package identity

import (
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/status"
)

// notHTML escapes what a browser could take for markup, as kube-apiserver does.
var notHTML = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Forbidden returns the 403 for a user who may not do what q asks. If the reason is not empty, it follows the words of
// kube-apiserver.
func Forbidden(user string, q route.Question, reason string) *status.Error {
	text := notHTML.Replace(words(user, q))
	if reason != "" {
		text += ": " + reason
	}
	return status.Forbidden(apimeta.GroupResource{Group: q.Group, Resource: q.Resource}, q.Name, text)
}

func words(user string, q route.Question) string {
	if q.Resource == "" {
		return fmt.Sprintf("User %q cannot %s path %q", user, q.Verb, q.Path)
	}
	resource := q.Resource
	if q.Subresource != "" {
		resource += "/" + q.Subresource
	}
	where := "at the cluster scope"
	if q.Namespace != "" {
		where = fmt.Sprintf("in the namespace %q", q.Namespace)
	}
	return fmt.Sprintf("User %q cannot %s resource %q in API group %q %s", user, q.Verb, resource, q.Group, where)
}
