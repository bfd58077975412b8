package server

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// flows knows which FlowSchema and which priority level a request belongs to. The server shares nothing by them, but names both in its
// answers: clients drop their own limits of rates when they find them there.
type flows struct {
	mu      sync.RWMutex
	schemas []*flowcontrolv1.FlowSchema // by precedence
	levels  map[string]types.UID
}

// read reads the stored objects.
func (f *flows) read(ctx context.Context, api *rest.API) error {
	schemas, err := rest.ClientForType[flowcontrolv1.FlowSchema](api)
	if err != nil {
		return err
	}
	for s, err := range schemas.All(ctx, rest.ListOptions{}) {
		if err != nil {
			return err
		}
		f.putSchema(s, false)
	}
	levels, err := rest.ClientForType[flowcontrolv1.PriorityLevelConfiguration](api)
	if err != nil {
		return err
	}
	for l, err := range levels.All(ctx, rest.ListOptions{}) {
		if err != nil {
			return err
		}
		f.putLevel(l, false)
	}
	return nil
}

// followSchemas follows the stored schemas until ctx ends, and followLevels the levels.
func (f *flows) followSchemas(ctx context.Context, api *rest.API, _ Config) error {
	return follow(ctx, api, f.putSchema)
}

func (f *flows) followLevels(ctx context.Context, api *rest.API, _ Config) error {
	return follow(ctx, api, f.putLevel)
}

func follow[T any](ctx context.Context, api *rest.API, put func(obj *T, gone bool)) error {
	client, err := rest.ClientForType[T](api)
	if err != nil {
		return err
	}
	for e, err := range client.Follow(ctx, rest.WatchOptions{}) {
		switch {
		case err != nil && (ctx.Err() != nil || status.IsServiceUnavailable(err)): // the server closes
			return nil
		case err != nil:
			return err
		}
		put(e.Object, e.Type == apimeta.EventDeleted)
	}
	return nil
}

func (f *flows) putSchema(s *flowcontrolv1.FlowSchema, gone bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.DeleteFunc(slices.Clone(f.schemas), func(other *flowcontrolv1.FlowSchema) bool { return other.Name == s.Name })
	if !gone {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *flowcontrolv1.FlowSchema) int {
		return cmp.Or(cmp.Compare(a.Spec.MatchingPrecedence, b.Spec.MatchingPrecedence), cmp.Compare(a.Name, b.Name))
	})
	f.schemas = all
}

func (f *flows) putLevel(l *flowcontrolv1.PriorityLevelConfiguration, gone bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.levels == nil {
		f.levels = map[string]types.UID{}
	}
	if f.levels[l.Name] = l.UID; gone {
		delete(f.levels, l.Name)
	}
}

// name writes the uids of the schema and of the level of an access into the header of its answer.
func (f *flows) name(h http.Header, a rest.Access) {
	if isLongRunning(a) {
		return
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	i := slices.IndexFunc(f.schemas, func(s *flowcontrolv1.FlowSchema) bool { return matchesFlow(s, a) })
	if i < 0 {
		i = slices.IndexFunc(f.schemas, func(s *flowcontrolv1.FlowSchema) bool { return s.Name == flowcontrolv1.FlowSchemaNameCatchAll })
	}
	if i < 0 {
		return
	}
	h.Set(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID, string(f.schemas[i].UID))
	if level, ok := f.levels[f.schemas[i].Spec.PriorityLevelConfiguration.Name]; ok {
		h.Set(flowcontrolv1.ResponseHeaderMatchedPriorityLevelConfigurationUID, string(level))
	}
}

// isLongRunning reports whether kube-apiserver lets an access pass without a share of its capacity. Watches have one while they begin.
func isLongRunning(a rest.Access) bool {
	return slices.Contains([]string{"attach", "exec", "log", "portforward", "proxy"}, a.Subresource)
}

// matchesFlow reports whether a schema is for an access.
func matchesFlow(s *flowcontrolv1.FlowSchema, a rest.Access) bool {
	return slices.ContainsFunc(s.Spec.Rules, func(rule flowcontrolv1.PolicyRulesWithSubjects) bool {
		if !slices.ContainsFunc(rule.Subjects, func(s flowcontrolv1.Subject) bool { return isSubject(s, a.User) }) {
			return false
		}
		if a.Resource == "" {
			return slices.ContainsFunc(rule.NonResourceRules, func(r flowcontrolv1.NonResourcePolicyRule) bool {
				return has(r.Verbs, string(a.Verb)) && slices.ContainsFunc(r.NonResourceURLs, func(url string) bool { return coversPath(url, a.Path) })
			})
		}
		return slices.ContainsFunc(rule.ResourceRules, func(r flowcontrolv1.ResourcePolicyRule) bool { return coversResource(r, a) })
	})
}

// accountPrefix begins the user names of service accounts.
const accountPrefix = "system:serviceaccount:"

func isSubject(s flowcontrolv1.Subject, u rest.User) bool {
	switch {
	case s.User != nil:
		return s.User.Name == flowcontrolv1.NameAll || s.User.Name == u.Name
	case s.Group != nil:
		return s.Group.Name == flowcontrolv1.NameAll || slices.Contains(u.Groups, s.Group.Name)
	case s.ServiceAccount != nil && s.ServiceAccount.Name == flowcontrolv1.NameAll:
		return strings.HasPrefix(u.Name, accountPrefix+s.ServiceAccount.Namespace+":")
	case s.ServiceAccount != nil:
		return u.Name == accountPrefix+s.ServiceAccount.Namespace+":"+s.ServiceAccount.Name
	}
	return false
}

func coversResource(r flowcontrolv1.ResourcePolicyRule, a rest.Access) bool {
	name := a.Resource
	if a.Subresource != "" {
		name += "/" + a.Subresource
	}
	if !has(r.Verbs, string(a.Verb)) || !has(r.APIGroups, a.Group) || !has(r.Resources, name) {
		return false
	}
	if a.Namespace == "" {
		return r.ClusterScope
	}
	return has(r.Namespaces, a.Namespace)
}

// has reports whether a list contains a value or the word for all.
func has(list []string, value string) bool {
	return slices.Contains(list, "*") || slices.Contains(list, value)
}

// coversPath reports whether a pattern, which may end with an asterisk, matches a path.
func coversPath(pattern, path string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(path, prefix)
	}
	return pattern == path
}

// answerKey is the key of the [answer] in the context of a request.
type answerKey struct{}

// answer is where the flow of a request is named, once.
type answer struct {
	header http.Header
	named  sync.Once
}

// classifier is the Authorizer of a server. It is the first to know as which user a request continues.
type classifier struct {
	rest.Authorizer
	flows *flows
}

// Authorize implements [rest.Authorizer]. What a hook or an impersonation asks is about another access than that of the request.
func (c classifier) Authorize(ctx context.Context, a rest.Access) (rest.Decision, error) {
	if to, ok := ctx.Value(answerKey{}).(*answer); ok && a.Verb != "impersonate" {
		to.named.Do(func() { c.flows.name(to.header, a) })
	}
	return c.Authorizer.Authorize(ctx, a)
}

// RulesFor implements [rest.RuleLister].
func (c classifier) RulesFor(ctx context.Context, u rest.User, namespace string) (rest.AccessRules, error) {
	return c.Authorizer.(rest.RuleLister).RulesFor(ctx, u, namespace)
}
