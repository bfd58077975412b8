package server_test

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
)

// refusing is a webhook server that refuses everything and notes who has asked.
func refusing(t *testing.T, asked *[]string) *httptest.Server {
	hooks := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if !assert.NoError(t, json.NewDecoder(r.Body).Decode(&review)) {
			return
		}
		*asked = append(*asked, strings.TrimSpace(r.URL.Path+" "+r.Header.Get("Authorization")))
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID,
			Result: &metav1.Status{Message: "no " + r.URL.Path}}
		_ = json.NewEncoder(w).Encode(review)
	}))
	t.Cleanup(hooks.Close)
	return hooks
}

// register registers a webhook of each kind for Pods, and a policy that refuses them.
func register(t *testing.T, client kubernetes.Interface, hooks *httptest.Server) {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: hooks.Certificate().Raw})
	at := func(path string) admissionregistrationv1.WebhookClientConfig {
		return admissionregistrationv1.WebhookClientConfig{URL: new(hooks.URL + path), CABundle: ca}
	}
	rules := []admissionregistrationv1.RuleWithOperations{{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
		Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}}}}
	side := admissionregistrationv1.SideEffectClassNone
	api := client.AdmissionregistrationV1()
	_, err := api.MutatingWebhookConfigurations().Create(t.Context(),
		&admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "m"},
			Webhooks: []admissionregistrationv1.MutatingWebhook{{Name: "m.example.com", ClientConfig: at("/mutate"), Rules: rules,
				SideEffects: &side, AdmissionReviewVersions: []string{"v1"}}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = api.ValidatingWebhookConfigurations().Create(t.Context(),
		&admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "v"},
			Webhooks: []admissionregistrationv1.ValidatingWebhook{{Name: "v.example.com", ClientConfig: at("/validate"),
				Rules: rules, SideEffects: &side, AdmissionReviewVersions: []string{"v1"}}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = api.ValidatingAdmissionPolicies().Create(t.Context(),
		&admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "p"},
			Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
				MatchConstraints: &admissionregistrationv1.MatchResources{
					ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: rules[0]}}},
				Validations: []admissionregistrationv1.Validation{{Expression: "false", Message: "no policy"}}}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = api.ValidatingAdmissionPolicyBindings().Create(t.Context(),
		&admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: "p"},
			Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: "p",
				ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny}}},
		metav1.CreateOptions{})
	require.NoError(t, err)
}

func TestUserReviewsCanBeDisabled(t *testing.T) {
	var asked []string
	hooks := refusing(t, &asked)
	for _, test := range []struct {
		name string
		off  []string
		want string // empty if the Pod is created
	}{
		{"none", nil, "no /mutate"},
		{"mutating webhooks", []string{"MutatingAdmissionWebhook"}, "no policy"},
		{"mutating webhooks and policies", []string{"MutatingAdmissionWebhook", "ValidatingAdmissionPolicy"}, "no /validate"},
		{"all", []string{"MutatingAdmissionWebhook", "ValidatingAdmissionPolicy", "ValidatingAdmissionWebhook",
			"MutatingAdmissionPolicy"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			client := rootOf(t, newServer(t, func(c *server.Config) {
				c.Plugins = server.DefaultPlugins(nil)
				c.Plugins.Off = append(c.Plugins.Off, test.off...)
			}))
			register(t, client, hooks)
			_, err := create(t, client, "a")
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestWebhooksAreCalledAsTheUserOfTheirHost(t *testing.T) {
	var asked []string
	hooks := refusing(t, &asked)
	host := strings.TrimPrefix(hooks.URL, "https://")
	for _, test := range []struct{ name, users, context, want string }{
		{"the host with its port", host, "", "/validate Bearer secret"},
		{"a part of the host", "'*.0.0.1:" + host[strings.LastIndex(host, ":")+1:] + "'", "", "/validate Bearer secret"},
		{"all hosts", "'*'", "", "/validate Bearer secret"},
		{"the user of the context", "me", "me", "/validate Bearer secret"},
		{"another host", "example.com", "", "/validate"},
	} {
		t.Run(test.name, func(t *testing.T) {
			asked = nil
			kubeconfig := write(t, "users: [{name: "+test.users+", user: {token: secret}}]\n"+
				"contexts: [{name: c, context: {user: "+test.context+"}}]\ncurrent-context: c\n")
			client := rootOf(t, configuredServer(t, "ValidatingAdmissionWebhook",
				"{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: '"+kubeconfig+"'}"))
			register(t, client, hooks)
			require.NoError(t, client.AdmissionregistrationV1().ValidatingAdmissionPolicies().Delete(t.Context(), "p",
				metav1.DeleteOptions{}))
			_, err := create(t, client, "a")
			assert.ErrorContains(t, err, "no /mutate")
			assert.Equal(t, []string{"/mutate"}, asked, "the configuration is that of the other plugin")
			require.NoError(t, client.AdmissionregistrationV1().MutatingWebhookConfigurations().Delete(t.Context(), "m",
				metav1.DeleteOptions{}))
			_, err = create(t, client, "a")
			assert.ErrorContains(t, err, "no /validate")
			assert.True(t, slices.Contains(asked, test.want), asked)
		})
	}
}

func TestAlwaysDenyRefusesWritesOfClients(t *testing.T) {
	client := rootOf(t, configuredServer(t, "AlwaysDeny", "{}"))
	const text = "admission control is denying all modifications"
	_, err := create(t, client, "")
	assertForbidden(t, err, text)
	_, err = create(t, client, "a")
	assertForbidden(t, err, `pods "a" is forbidden: `+text)
	namespaces := client.CoreV1().Namespaces()
	n, err := namespaces.Get(t.Context(), "default", metav1.GetOptions{})
	require.NoError(t, err, "the server has its own objects")
	_, err = namespaces.Update(t.Context(), n, metav1.UpdateOptions{})
	assertForbidden(t, err, `namespaces "default" is forbidden: `+text)
	_, err = namespaces.UpdateStatus(t.Context(), n, metav1.UpdateOptions{DryRun: []string{"All"}})
	assertForbidden(t, err, text)
	err = client.RbacV1().ClusterRoles().Delete(t.Context(), "admin", metav1.DeleteOptions{})
	assertForbidden(t, err, text)
	err = client.RbacV1().ClusterRoles().DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{})
	assertForbidden(t, err, text)
	_, err = client.AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(),
		&authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "get", Resource: "pods"}}}, metav1.CreateOptions{})
	assert.True(t, apierrors.IsForbidden(err), "%v", err)
}
