package e2e_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
)

// The test runs the commands of kubectl that work on Kubernetes' own kinds against kubeapi. It writes what a controller
// or a kubelet would write.
func TestKubectlManagesAClusterOfKubeapi(t *testing.T) {
	cluster := host{program: "kubeapi", args: []string{"--controllers", "*"}, namespaces: true, kubeconfig: true}
	for name, run := range map[string]func(t *testing.T, s *server){
		"kinds": kubernetesKinds, "deployment": deployment, "jobs": jobs, "pods": pods, "nodes": drainedNodes,
		"access":   rightsOfKubeapi,
		"services": services, "namespaces": namespacesOfKubeapi, "kustomize": kustomizeKubernetesKinds,
		"certificates": certificates,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, startServer(t, cluster, newest()))
		})
	}
}

func kubernetesKinds(t *testing.T, s *server) {
	all := s.run(t, "api-resources", "-o", "wide")
	assertLine(t, all, "pods", "po", "v1", "true", "Pod", "create,delete,deletecollection,get,list,patch,update,watch",
		"all")
	assertLine(t, all, "deviceclasses", "resource.k8s.io/v1", "false", "DeviceClass")
	assertLine(t, s.run(t, "api-resources", "--categories=api-extensions"), "customresourcedefinitions", "crd,crds",
		"apiextensions.k8s.io/v1")
	assert.Contains(t, s.run(t, "version"), "Server Version: "+rest.KubernetesVersion+"\n")
	assert.Contains(t, s.run(t, "cluster-info"), "Kubernetes control plane is running at "+s.url)
	assertLine(t, s.run(t, "get", "componentstatuses"), "etcd-0", "Healthy", "ok")
	for kind, field := range map[string]string{
		"pods": "requiredDuringSchedulingIgnoredDuringExecution", "deployments": "maxUnavailable", "jobs": "podFailurePolicy",
		"nodes":    "unschedulable",
		"services": "clusterIP", "ingresses": "ingressClassName", "networkpolicies": "policyTypes",
		"storageclasses": "volumeBindingMode",
		"resourceclaims": "requests", "horizontalpodautoscalers.v2.autoscaling": "stabilizationWindowSeconds",
	} {
		kind, _, _ = strings.Cut(kind, ".")
		assertLine(t, s.run(t, "explain", "--recursive", kind), field)
	}
}

func deployment(t *testing.T, s *server) {
	assert.Equal(t, "deployment.apps/web created\n",
		s.run(t, "create", "deployment", "web", "--image=nginx:1", "--replicas=2"))
	assert.Equal(t, "service/web exposed\n", s.run(t, "expose", "deployment", "web", "--port=80", "--target-port=8080"))
	assert.Equal(t, "deployment.apps/web scaled\n",
		s.run(t, "scale", "deployment", "web", "--replicas=3", "--current-replicas=2"))
	assert.Contains(t, s.refused(t, "", "scale", "deployment", "web", "--replicas=4", "--current-replicas=2"),
		"Expected replicas to be 2, was 3")
	assert.Equal(t, "deployment.apps/web image updated\n", s.run(t, "set", "image", "deployment/web", "nginx=nginx:2"))
	assert.Equal(t, "deployment.apps/web env updated\n", s.run(t, "set", "env", "deployment/web", "COLOUR=red"))
	assert.Equal(t, "deployment.apps/web resource requirements updated\n",
		s.run(t, "set", "resources", "deployment/web", "--limits=cpu=1"))
	assert.Equal(t, "deployment.apps/web restarted\n", s.run(t, "rollout", "restart", "deployment/web"))
	assert.Equal(t, "deployment.apps/web paused\n", s.run(t, "rollout", "pause", "deployment/web"))
	assert.Equal(t, "deployment.apps/web resumed\n", s.run(t, "rollout", "resume", "deployment/web"))
	assertLine(t, s.run(t, "get", "deploy", "-o", "wide"), "web", "0/3", "nginx", "nginx:2", "app=web")

	assert.Contains(t, s.run(t, "rollout", "status", "deployment/web", "--watch=false"),
		"Waiting for deployment spec update to be observed")
	generation := s.get(t, "deployment", "web", "{.metadata.generation}")
	s.run(t, "patch", "deployment", "web", "--subresource=status", "-p",
		`{"status":{"observedGeneration":`+generation+`,"replicas":3,"updatedReplicas":3,`+
			`"readyReplicas":3,"availableReplicas":3,"conditions":[{"type":"Available","status":"True","reason":"MinimumReplicasAvailable"}]}}`)
	assert.Equal(t, "deployment \"web\" successfully rolled out\n", s.run(t, "rollout", "status", "deployment/web"))
	assert.Equal(t, "deployment.apps/web condition met\n", s.run(t, "wait", "--for=condition=Available", "deployment/web"))
	assertLine(t, s.run(t, "get", "deploy"), "web", "3/3", "3", "3")

	assert.Equal(t, "horizontalpodautoscaler.autoscaling/web autoscaled\n",
		s.run(t, "autoscale", "deployment", "web", "--max=5", "--cpu=50%"))
	assertLine(t, s.run(t, "get", "hpa"), "web", "Deployment/web", "<unknown>/50%", "1", "5")
	assert.Equal(t, "poddisruptionbudget.policy/web created\n",
		s.run(t, "create", "pdb", "web", "--selector=app=web", "--max-unavailable=1"))
	described := s.run(t, "describe", "deployment", "web")
	assertLine(t, described, "Replicas:", "3", "desired", "3", "updated", "3", "total")
	assertLine(t, described, "RollingUpdateStrategy:", "25%", "max", "unavailable,", "25%", "max", "surge")
	assertLine(t, s.run(t, "describe", "service", "web"), "TargetPort:", "8080/TCP")
	all := s.run(t, "get", "all", "-o", "name")
	assert.Equal(t, "service/web\ndeployment.apps/web\nhorizontalpodautoscaler.autoscaling/web\n", all)
	s.run(t, "delete", "all", "--all")
	assert.Empty(t, s.run(t, "get", "all", "-o", "name"))
}

func jobs(t *testing.T, s *server) {
	assert.Equal(t, "cronjob.batch/nightly created\n",
		s.run(t, "create", "cronjob", "nightly", "--image=tool", "--schedule=0 3 * * *"))
	assertLine(t, s.run(t, "get", "cronjobs"), "nightly", "3", "False", "0", "<none>")
	assert.Equal(t, "job.batch/now created\n", s.run(t, "create", "job", "now", "--from=cronjob/nightly"))
	assert.Equal(t, "CronJob/nightly",
		s.get(t, "job", "now", "{.metadata.ownerReferences[0].kind}/{.metadata.ownerReferences[0].name}"))
	assertLine(t, s.run(t, "get", "jobs", "-o", "wide"), "now", "Running", "0/1", "nightly", "tool")
	assertLine(t, s.run(t, "describe", "job", "now"), "Completion", "Mode:", "NonIndexed")
	_, gone := s.background(t, "wait", "--for=delete", "job/now")
	s.run(t, "delete", "cronjob", "nightly")
	require.NoError(t, gone(), "the garbage collector deletes the Job of the CronJob")
}

func pods(t *testing.T, s *server) {
	s.run(t, "wait", "--for=create", "serviceaccount/default")
	assert.Equal(t, "pod/one created\n", s.run(t, "run", "one", "--image=tool", "--restart=Never", "--labels=team=a"))
	assertLine(t, s.run(t, "get", "pods", "-o", "wide"), "one", "0/1", "Pending", "0", "<none>", "<none>")
	assert.Equal(t, "pod/one condition met\n", s.run(t, "wait", "--for=jsonpath={.status.phase}=Pending", "pod/one"))
	assertLine(t, s.run(t, "describe", "pod", "one"), "QoS", "Class:", "BestEffort")
	assert.Empty(t, s.run(t, "logs", "one"), "a Pod that has no node has no logs")
	assert.Contains(t, s.refused(t, "", "exec", "one", "--", "ls"), "pod one does not have a host assigned")
	s.run(t, "debug", "one", "--image=shell", "--container=look", "--attach=false", "-q")
	assert.Equal(t, "look", s.get(t, "pod", "one", "{.spec.ephemeralContainers[*].name}"))
	assert.Contains(t, s.refused(t, "", "patch", "pod", "one", "-p", `{"spec":{"restartPolicy":"Always"}}`),
		"pod updates may not change fields other than")

	s.run(t, "create", "quota", "small", "--hard=pods=1")
	assertLine(t, s.run(t, "get", "quota"), "small")
	assert.Equal(t, `pod "one" deleted from e2e namespace`+"\n", s.run(t, "delete", "pod", "-l", "team=a"),
		"nobody has to wait for a kubelet")
}

func drainedNodes(t *testing.T, s *server) {
	s.feed(t, `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"4","pods":"10"},"capacity":{"cpu":"4","pods":"10"},`+
		`"nodeInfo":{"kubeletVersion":"`+rest.KubernetesVersion+
		`"},"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady"}]}}`, "create", "-f", "-")
	assertLine(t, s.run(t, "get", "nodes"), "n1", "Ready", "<none>", rest.KubernetesVersion)
	assert.Equal(t, "node/n1 tainted\n", s.run(t, "taint", "nodes", "n1", "disk=slow:NoSchedule"))
	assert.Equal(t, "node/n1 untainted\n", s.run(t, "taint", "nodes", "n1", "disk-"))
	s.run(t, "wait", "--for=create", "serviceaccount/default")
	s.run(t, "run", "one", "--image=tool", `--overrides={"spec":{"nodeName":"n1"}}`, "--labels=app=one")
	assertLine(t, s.run(t, "describe", "node", "n1"), namespace, "one", "0", "(0%)")

	assert.Contains(t, s.refused(t, "", "drain", "n1"), "declare no controller")
	assertLine(t, s.run(t, "get", "nodes"), "n1", "Ready,SchedulingDisabled")
	s.run(t, "create", "pdb", "one", "--selector=app=one", "--min-available=1")
	s.run(t, "patch", "pod", "one", "--subresource=status", "-p", `{"status":{"phase":"Running"}}`)
	eviction := `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"one"}}`
	refused := s.refused(t, eviction, "create", "--raw", "/api/v1/namespaces/"+namespace+"/pods/one/eviction", "-f", "-")
	assert.Contains(t, refused, "would violate the pod's disruption budget")
	s.run(t, "delete", "pdb", "one")
	assert.Contains(t, s.run(t, "drain", "n1", "--force", "--grace-period=0"), "node/n1 drained\n")
	assert.Empty(t, s.run(t, "get", "pods", "-o", "name"))
	assert.Equal(t, "node/n1 uncordoned\n", s.run(t, "uncordon", "n1"))
}

func rightsOfKubeapi(t *testing.T, s *server) {
	s.run(t, "create", "serviceaccount", "robot")
	robot := "system:serviceaccount:" + namespace + ":robot"
	assert.Equal(t, "no\n", s.exits(t, 1, "", "auth", "can-i", "list", "pods", "--as="+robot))
	s.run(t, "create", "rolebinding", "viewers", "--clusterrole=view", "--serviceaccount="+namespace+":robot")
	assert.Equal(t, "yes\n", s.run(t, "auth", "can-i", "list", "pods", "--as="+robot), "the role view is aggregated")
	assert.Equal(t, "no\n", s.exits(t, 1, "", "auth", "can-i", "delete", "pods", "--as="+robot))
	token := strings.TrimSpace(s.run(t, "create", "token", "robot", "--duration=10m"))
	review := s.feed(t, `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"`+token+`"}}`,
		"create", "--raw", "/apis/authentication.k8s.io/v1/tokenreviews", "-f", "-")
	assert.Contains(t, review, robot)
	assert.Contains(t, s.refused(t, "", "get", "pods", "--as=nobody"), `User "nobody" cannot list resource "pods"`)
	assert.Contains(t, s.run(t, "describe", "rolebinding", "viewers"), "robot")
	assertLine(t, s.run(t, "get", "clusterroles"), "cluster-admin")
	s.run(t, "create", "secret", "generic", "key", "--from-literal=key=value")
	assertLine(t, s.run(t, "get", "secrets"), "key", "Opaque", "1")
}

func services(t *testing.T, s *server) {
	s.run(t, "create", "service", "clusterip", "headless", "--clusterip=None")
	s.run(t, "create", "service", "nodeport", "open", "--tcp=80:8080", "--node-port=30080")
	s.run(t, "create", "service", "externalname", "other", "--external-name=example.com")
	table := s.run(t, "get", "services", "-o", "wide")
	assertLine(t, table, "headless", "ClusterIP", "None")
	assertLine(t, table, "open", "NodePort", "80:30080/TCP")
	assertLine(t, table, "other", "ExternalName", "<none>", "example.com")
	assert.Contains(t, s.refused(t, "", "create", "service", "nodeport", "again", "--tcp=80", "--node-port=30080"),
		"provided port is already allocated")
	s.run(t, "create", "ingress", "front", "--rule=example.com/*=open:80")
	assertLine(t, s.run(t, "get", "ingress"), "front", "<none>", "example.com", "80")
	assertLine(t, s.run(t, "describe", "ingress", "front"), "/", "open:80")
	assertLine(t, s.run(t, "get", "service", "kubernetes", "-n", "default"), "kubernetes", "ClusterIP", "10.0.0.1",
		"443/TCP")
}

func namespacesOfKubeapi(t *testing.T, s *server) {
	s.run(t, "create", "namespace", "team")
	_, err := s.background(t, "wait", "--for=create", "configmap/kube-root-ca.crt", "serviceaccount/default", "-n", "team")
	require.NoError(t, err())
	s.run(t, "create", "configmap", "settings", "-n", "team")
	assert.Equal(t, "namespace \"team\" deleted\n", s.run(t, "delete", "namespace", "team"))
	assert.Contains(t, s.refused(t, "", "get", "namespace", "team"), "not found")
	assert.Contains(t, s.refused(t, "", "delete", "namespace", "kube-system"), "this namespace may not be deleted")
}

func kustomizeKubernetesKinds(t *testing.T, s *server) {
	s.file(t, "base/kustomization.yaml",
		"resources: [web.yaml]\nconfigMapGenerator: [{name: settings, literals: [colour=red]}]\n"+
			"secretGenerator: [{name: key, literals: [key=value]}]\n")
	s.file(t, "base/web.yaml", `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: nginx
        ports: [{containerPort: 80}]
        envFrom: [{configMapRef: {name: settings}}, {secretRef: {name: key}}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
`)
	s.file(t, "over/kustomization.yaml",
		"resources: [../base]\nnamePrefix: my-\nnamespace: "+namespace+"\nlabels: [{pairs: {tier: gold}}]\n"+
			"images: [{name: nginx, newTag: '2'}]\nreplicas: [{name: web, count: 4}]\n"+
			"patches: [{patch: \"- {op: add, path: /spec/template/spec/containers/0/ports/-, value: {containerPort: 81}}\", target: {kind: Deployment}}]\n")
	assert.Equal(t, 4, strings.Count(s.run(t, "apply", "-k", "over"), " created\n"))
	assert.Equal(t, "4 nginx:2 80 81", s.get(t, "deployment", "my-web",
		"{.spec.replicas} {.spec.template.spec.containers[0].image} {.spec.template.spec.containers[0].ports[*].containerPort}"))
	assert.Regexp(t, "^my-settings-[a-z0-9]+$",
		s.get(t, "deployment", "my-web", "{.spec.template.spec.containers[0].envFrom[0].configMapRef.name}"))
	assert.Equal(t, 4, strings.Count(s.run(t, "apply", "-k", "over"), " unchanged\n"))
	assert.Equal(t, 4, strings.Count(s.run(t, "apply", "-k", "over", "--server-side", "--force-conflicts"),
		" serverside-applied\n"))
	assert.Empty(t, s.exits(t, 0, "", "diff", "-k", "over", "--server-side", "--force-conflicts"))
	assert.Equal(t, 4, strings.Count(s.run(t, "delete", "-k", "over"), " deleted from "))
}

func certificates(t *testing.T, s *server) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.CreateCertificateRequest(rand.Reader,
		&x509.CertificateRequest{Subject: pkix.Name{CommonName: "robot"}}, key)
	require.NoError(t, err)
	request := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
	s.feed(t, "apiVersion: certificates.k8s.io/v1\nkind: CertificateSigningRequest\nmetadata: {name: robot}\n"+
		"spec: {signerName: example.com/signer, usages: [client auth], request: "+request+"}\n", "create", "-f", "-")
	assertLine(t, s.run(t, "get", "csr"), "robot", "example.com/signer", "kubernetes-admin", "Pending")
	assert.Equal(t, "certificatesigningrequest.certificates.k8s.io/robot approved\n",
		s.run(t, "certificate", "approve", "robot"))
	assertLine(t, s.run(t, "get", "csr"), "robot", "Approved")
	assert.Contains(t, s.run(t, "describe", "csr", "robot"), "Approved")
}
