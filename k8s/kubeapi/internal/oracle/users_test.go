package oracle

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

const administrator = "admin"

// users are the users of both sides, by their tokens.
var users = map[string]*user.DefaultInfo{
	administrator: {Name: "kubernetes-admin", Groups: []string{user.SystemPrivilegedGroup}},
	"node":        {Name: "system:node:n", Groups: []string{user.NodesGroup}},
	"nameless":    {Name: "system:node:", Groups: []string{user.NodesGroup}},
	"writer":      {Name: "writer"},
}

// tokenFile returns the users in the form of --token-auth-file.
func tokenFile() (text string) {
	for _, token := range slices.Sorted(maps.Keys(users)) {
		text += fmt.Sprintf("%s,%s,,%q\n", token, users[token].Name, strings.Join(users[token].Groups, ","))
	}
	return text
}

// recognize returns the user of a request to Kubernetes. Requests without a token are those of its own plugins.
func recognize(r *http.Request) (*authenticator.Response, bool, error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		token = administrator
	}
	u := *users[token]
	u.Groups = append(slices.Clone(u.Groups), user.AllAuthenticated)
	return &authenticator.Response{User: &u}, true, nil
}

// authorize allows everything, except that writers may not delete objects, change finalizers, or approve and sign
// certificates. The rights of the users of module kubeapi are in testdata/admission.yaml.
func authorize(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	rare := slices.Contains([]string{"delete", "approve", "sign"}, a.GetVerb()) || a.GetSubresource() == "finalizers"
	if a.GetUser().GetName() == "writer" && rare {
		return authorizer.DecisionNoOpinion, "", nil
	}
	return authorizer.DecisionAllow, "", nil
}
