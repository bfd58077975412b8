package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
)

// serverOf returns a server with a further plugin and a further user, whose token is "user", and a client of both.
func serverOf(t *testing.T, plugin string, user access.User) (root, client *kubernetes.Clientset) {
	s := newServer(t, func(c *server.Config) {
		c.Plugins = server.DefaultPlugins(nil)
		c.Plugins.On = append(c.Plugins.On, plugin)
		c.Users = append(c.Users, auth.Tokens(auth.Token{Secret: "user", User: user}))
	})
	client, err := kubernetes.NewForConfig(&clientrest.Config{Host: "https://kubernetes", BearerToken: "user", QPS: -1,
		Transport: rest.RoundTripper(s.Handler())})
	require.NoError(t, err)
	return rootOf(t, s), client
}

// grant gives a user rights everywhere.
func grant(t *testing.T, root *kubernetes.Clientset, user, name string, rules ...rbacv1.PolicyRule) {
	_, err := root.RbacV1().ClusterRoles().Create(t.Context(),
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = root.RbacV1().ClusterRoleBindings().Create(t.Context(),
		&rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: name},
			Subjects: []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: user}},
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}}, metav1.CreateOptions{})
	require.NoError(t, err)
}

func rule(group, resource string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
}

func assertForbidden(t *testing.T, err error, text string) {
	t.Helper()
	assert.True(t, apierrors.IsForbidden(err), "%v", err)
	assert.ErrorContains(t, err, text)
}

func certificate(t *testing.T) string {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{Subject: pkix.Name{CommonName: "root"}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func TestOnlyThoseWriteTrustBundlesWhoAttestForTheSigner(t *testing.T) {
	root, client := serverOf(t, "AlwaysAdmit", access.User{Name: "jane"})
	grant(t, root, "jane", "bundles", rule("certificates.k8s.io", "clustertrustbundles", "*"))
	bundle := &certificatesv1.ClusterTrustBundle{ObjectMeta: metav1.ObjectMeta{Name: "example.com:signer:a"},
		Spec: certificatesv1.ClusterTrustBundleSpec{SignerName: "example.com/signer", TrustBundle: certificate(t)}}
	bundles := client.CertificatesV1().ClusterTrustBundles()
	_, err := bundles.Create(t.Context(), bundle, metav1.CreateOptions{})
	assertForbidden(t, err, `user not permitted to attest for signerName "example.com/signer"`)

	created, err := root.CertificatesV1().ClusterTrustBundles().Create(t.Context(), bundle, metav1.CreateOptions{})
	require.NoError(t, err)
	created.Finalizers = []string{"example.com/f"}
	created, err = bundles.Update(t.Context(), created, metav1.UpdateOptions{})
	require.NoError(t, err, "the garbage collector writes finalizers")
	created.Labels = map[string]string{"a": "b"}
	_, err = bundles.Update(t.Context(), created, metav1.UpdateOptions{})
	assertForbidden(t, err, `user not permitted to attest for signerName "example.com/signer"`)

	grant(t, root, "jane", "attest", rbacv1.PolicyRule{APIGroups: []string{"certificates.k8s.io"},
		Resources: []string{"signers"}, ResourceNames: []string{"example.com/*"}, Verbs: []string{"attest"}})
	_, err = bundles.Update(t.Context(), created, metav1.UpdateOptions{})
	require.NoError(t, err)
}

func TestOwnersNeedRights(t *testing.T) {
	const plugin = "OwnerReferencesPermissionEnforcement"
	root, client := serverOf(t, plugin, access.User{Name: "jane"})
	grant(t, root, "jane", "maps", rule("", "configmaps", "get", "create", "update"))
	secret, err := root.CoreV1().Secrets("default").Create(t.Context(),
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "owner"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	owner := metav1.OwnerReference{APIVersion: "v1", Kind: "Secret", Name: "owner", UID: secret.UID}
	blocking := owner
	blocking.BlockOwnerDeletion = new(true)
	maps := client.CoreV1().ConfigMaps("default")
	object := func(name string, owners ...metav1.OwnerReference) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: owners}}
	}

	_, err = maps.Create(t.Context(), object("a", owner), metav1.CreateOptions{})
	require.NoError(t, err, "who creates an object may also not create it")
	_, err = maps.Update(t.Context(), object("a"), metav1.UpdateOptions{})
	assertForbidden(t, err, "cannot set an ownerRef on a resource you can't delete")
	_, err = maps.Create(t.Context(), object("b", blocking), metav1.CreateOptions{})
	assertForbidden(t, err,
		"cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on")
	unknown := blocking
	unknown.Kind = "Nothing"
	_, err = maps.Create(t.Context(), object("b", unknown), metav1.CreateOptions{})
	assertForbidden(t, err, `cannot find RESTMapping for APIVersion v1 Kind Nothing`)

	grant(t, root, "jane", "finalizers", rule("", "secrets/finalizers", "update"))
	_, err = maps.Create(t.Context(), object("b", blocking), metav1.CreateOptions{})
	require.NoError(t, err)
	grant(t, root, "jane", "deletions", rule("", "configmaps", "delete"))
	_, err = maps.Update(t.Context(), object("a"), metav1.UpdateOptions{})
	require.NoError(t, err)
}

func TestNewObjectsBringTheirNamespaces(t *testing.T) {
	root, client := serverOf(t, "NamespaceAutoProvision", access.User{Name: "jane"})
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	_, err := client.CoreV1().ConfigMaps("fresh").Create(t.Context(), object, metav1.CreateOptions{})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	_, err = root.CoreV1().Namespaces().Get(t.Context(), "fresh", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "a user without rights creates nothing: %v", err)
	_, err = root.CoreV1().ConfigMaps("fresh").Create(t.Context(), object, metav1.CreateOptions{})
	require.NoError(t, err)
}

func TestKubeletsWriteOnlyWhatIsTheirs(t *testing.T) {
	root, client := serverOf(t, "NodeRestriction", access.User{Name: "system:node:mine", Groups: []string{"system:nodes"}})
	grant(t, root, "system:node:mine", "node", rule("*", "*", "*"))
	node := func(name string, labels map[string]string) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	}
	nodes := client.CoreV1().Nodes()
	_, err := nodes.Create(t.Context(), node("other", nil), metav1.CreateOptions{})
	assertForbidden(t, err, `node "mine" is not allowed to modify node "other"`)
	_, err = nodes.Create(t.Context(), node("mine", map[string]string{"node-restriction.kubernetes.io/a": "b",
		"foo.kubernetes.io/x": "y", "kubernetes.io/os": "linux", "a": "b"}), metav1.CreateOptions{})
	assertForbidden(t, err,
		`node "mine" is not allowed to set the following labels: foo.kubernetes.io/x, node-restriction.kubernetes.io/a`)
	mine, err := nodes.Create(t.Context(), node("mine", map[string]string{"kubernetes.io/os": "linux"}),
		metav1.CreateOptions{})
	require.NoError(t, err)
	tainted := mine.DeepCopy()
	tainted.Spec.Taints = nil
	_, err = nodes.Update(t.Context(), tainted, metav1.UpdateOptions{})
	assertForbidden(t, err, `node "mine" is not allowed to modify taints`)

	pod := func(name, node string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
	}
	for _, name := range []string{"mine", "other"} {
		_, err := root.CoreV1().Pods("default").Create(t.Context(), pod(name, name), metav1.CreateOptions{})
		require.NoError(t, err)
	}
	pods := client.CoreV1().Pods("default")
	_, err = pods.Create(t.Context(), pod("new", "mine"), metav1.CreateOptions{})
	assertForbidden(t, err,
		`pod does not have "kubernetes.io/config.mirror" annotation, node "mine" can only create mirror pods`)
	mirror := pod("new", "mine")
	mirror.Annotations = map[string]string{"kubernetes.io/config.mirror": "x"}
	mirror.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "mine", UID: mine.UID,
		Controller: new(true)}}
	mirror.Spec.Volumes = []corev1.Volume{{Name: "v",
		VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "s"}}}}
	_, err = pods.Create(t.Context(), mirror, metav1.CreateOptions{})
	assertForbidden(t, err, `node "mine" can not create pods that reference secrets`)
	mirror.Spec.Volumes = nil
	_, err = pods.Create(t.Context(), mirror, metav1.CreateOptions{})
	require.NoError(t, err)

	assertForbidden(t, pods.Delete(t.Context(), "other", metav1.DeleteOptions{}),
		`node "mine" can only delete pods with spec.nodeName set to itself`)
	other, err := pods.Get(t.Context(), "other", metav1.GetOptions{})
	require.NoError(t, err)
	_, err = pods.UpdateStatus(t.Context(), other, metav1.UpdateOptions{})
	assertForbidden(t, err, `node "mine" can only update pod status for pods with spec.nodeName set to itself`)
	own, err := pods.Get(t.Context(), "mine", metav1.GetOptions{})
	require.NoError(t, err)
	own.Status.Phase = corev1.PodRunning
	_, err = pods.UpdateStatus(t.Context(), own, metav1.UpdateOptions{})
	require.NoError(t, err)

	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
	_, err = client.CoordinationV1().Leases("default").Create(t.Context(), lease, metav1.CreateOptions{})
	assertForbidden(t, err, `can only access leases in the "kube-node-lease" system namespace`)
	_, err = client.CoordinationV1().Leases("kube-node-lease").Create(t.Context(), lease, metav1.CreateOptions{})
	assertForbidden(t, err, "can only access node lease with the same name as the requesting node")
}
