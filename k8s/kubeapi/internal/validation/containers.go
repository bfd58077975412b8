package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

// containerRules checks the containers of one Pod.
type containerRules struct {
	*report
	pod     *corev1.PodSpec
	volumes map[string]*corev1.Volume
}

func (r containerRules) containers(p *field.Path) {
	r.is(len(r.pod.Containers) > 0, field.Required(p, ""))
	names := map[string]bool{}
	for i := range r.pod.Containers {
		c, p := &r.pod.Containers[i], p.Index(i)
		r.container(p, c)
		r.distinct(p.Child("name"), c.Name, names)
		r.restarts(p, c)
		r.running(p, c)
	}
	r.hostPorts(p, r.pod.Containers)
}

func (r containerRules) initContainers(p *field.Path) {
	names := map[string]bool{}
	for i := range r.pod.Containers {
		names[r.pod.Containers[i].Name] = true
	}
	for i := range r.pod.InitContainers {
		c, p := &r.pod.InitContainers[i], p.Index(i)
		r.container(p, c)
		if c.Name != "" || names[""] {
			r.distinct(p.Child("name"), c.Name, names)
		}
		if c.RestartPolicy != nil {
			r.restarts(p, c)
		} else if len(c.RestartPolicyRules) > 0 {
			r.add(field.Required(p.Child("restartPolicy"), "must specify restartPolicy when restart rules are used"))
		}
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			r.running(p, c)
			continue
		}
		r.absent(p, "may not be set for init containers without restartPolicy=Always",
			member{"lifecycle", c.Lifecycle != nil}, member{"livenessProbe", c.LivenessProbe != nil},
			member{"readinessProbe", c.ReadinessProbe != nil}, member{"startupProbe", c.StartupProbe != nil})
	}
}

func (r containerRules) ephemeralContainers(p *field.Path) {
	names := map[string]bool{}
	for _, c := range slices.Concat(r.pod.Containers, r.pod.InitContainers) {
		names[c.Name] = true
	}
	others := names
	names = map[string]bool{}
	for i := range r.pod.EphemeralContainers {
		e, p := &r.pod.EphemeralContainers[i], p.Index(i)
		c := corev1.Container(e.EphemeralContainerCommon)
		r.container(p, &c)
		r.is(!others[e.Name] && !names[e.Name], field.Duplicate(p.Child("name"), e.Name))
		names[e.Name] = true
		r.is(e.TargetContainerName == "" || others[e.TargetContainerName],
			field.NotFound(p.Child("targetContainerName"), e.TargetContainerName))
		r.absent(p, "cannot be set for an Ephemeral Container",
			member{"ports", len(e.Ports) > 0}, member{"lifecycle", e.Lifecycle != nil},
			member{"livenessProbe", e.LivenessProbe != nil},
			member{"readinessProbe", e.ReadinessProbe != nil}, member{"startupProbe", e.StartupProbe != nil},
			member{"resources", len(e.Resources.Limits)+len(e.Resources.Requests)+len(e.Resources.Claims) > 0},
			member{"resizePolicy", len(e.ResizePolicy) > 0}, member{"restartPolicy", e.RestartPolicy != nil},
			member{"restartPolicyRules", len(e.RestartPolicyRules) > 0})
		for j, m := range e.VolumeMounts {
			r.absent(p.Child("volumeMounts").Index(j), "cannot be set for an Ephemeral Container",
				member{"subPath", m.SubPath != ""}, member{"subPathExpr", m.SubPathExpr != ""})
		}
	}
}

// restarts checks when a container runs again, if it has a policy of its own.
func (r containerRules) restarts(p *field.Path, c *corev1.Container) {
	rules := p.Child("restartPolicyRules")
	if c.RestartPolicy == nil {
		r.is(len(c.RestartPolicyRules) == 0, field.Required(p.Child("restartPolicy"),
			"must specify restartPolicy when restart rules are used"))
	} else {
		supported(r.report, p.Child("restartPolicy"), *c.RestartPolicy, corev1.ContainerRestartPolicyAlways,
			corev1.ContainerRestartPolicyNever, corev1.ContainerRestartPolicyOnFailure)
	}
	r.is(len(c.RestartPolicyRules) <= 20, field.TooMany(rules, len(c.RestartPolicyRules), 20))
	for i, rule := range c.RestartPolicyRules {
		p := rules.Index(i)
		supported(r.report, p.Child("action"), rule.Action, corev1.ContainerRestartRuleActionRestart,
			corev1.ContainerRestartRuleActionRestartAllContainers)
		codes := p.Child("exitCodes")
		if rule.ExitCodes == nil {
			r.add(field.Required(codes, "must be specified"))
			continue
		}
		supported(r.report, codes.Child("operator"), rule.ExitCodes.Operator, corev1.ContainerRestartRuleOnExitCodesOpIn,
			corev1.ContainerRestartRuleOnExitCodesOpNotIn)
		r.is(len(rule.ExitCodes.Values) <= 255, field.TooMany(codes.Child("values"), len(rule.ExitCodes.Values), 255))
	}
}

// member is a field of an object, and whether it is set.
type member struct {
	name string
	set  bool
}

// absent checks that none of the fields is set.
func (r *report) absent(p *field.Path, detail string, members ...member) {
	for _, m := range members {
		r.is(!m.set, field.Forbidden(p.Child(m.name), detail))
	}
}

// container checks what all containers have.
func (r containerRules) container(p *field.Path, c *corev1.Container) {
	r.named(p.Child("name"), c.Name, validation.IsDNS1123Label)
	r.given(p.Child("image"), c.Image)
	oneOf(r.report, p.Child("terminationMessagePolicy"), c.TerminationMessagePolicy, corev1.TerminationMessageReadFile,
		corev1.TerminationMessageFallbackToLogsOnError)
	r.pullPolicy(p.Child("imagePullPolicy"), c.ImagePullPolicy)
	r.ports(p.Child("ports"), c.Ports)
	r.env(p.Child("env"), c.Env)
	r.envFrom(p.Child("envFrom"), c.EnvFrom)
	r.mounts(p.Child("volumeMounts"), c)
	r.devices(p.Child("volumeDevices"), c)
	r.resources(p.Child("resources"), &c.Resources, r.pod.ResourceClaims)
	r.resizePolicy(p.Child("resizePolicy"), c.ResizePolicy)
	if s := c.SecurityContext; s != nil {
		r.containerSecurity(p.Child("securityContext"), s)
	}
}

func (r *report) pullPolicy(p *field.Path, policy corev1.PullPolicy) {
	oneOf(r, p, policy, corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)
}

// resizePolicy checks what happens if the resources of a running container change.
func (r containerRules) resizePolicy(p *field.Path, policies []corev1.ContainerResizePolicy) {
	seen := map[string]bool{}
	for i, policy := range policies {
		r.distinct(p.Index(i), string(policy.ResourceName), seen)
		oneOf(r.report, p, policy.ResourceName, corev1.ResourceCPU, corev1.ResourceMemory)
		oneOf(r.report, p, policy.RestartPolicy, corev1.NotRequired, corev1.RestartContainer)
		r.is(r.pod.RestartPolicy != corev1.RestartPolicyNever || policy.RestartPolicy == corev1.NotRequired,
			field.Invalid(p, policy.RestartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"))
	}
}

// running checks what only containers have that run as long as the Pod.
func (r containerRules) running(p *field.Path, c *corev1.Container) {
	if l := c.Lifecycle; l != nil && l.PostStart != nil {
		r.lifecycle(p.Child("lifecycle", "postStart"), l.PostStart)
	}
	if l := c.Lifecycle; l != nil && l.PreStop != nil {
		r.lifecycle(p.Child("lifecycle", "preStop"), l.PreStop)
	}
	if l := c.Lifecycle; l != nil && l.StopSignal != nil {
		r.stopSignal(p.Child("lifecycle", "stopSignal"), *l.StopSignal)
	}
	r.probe(p.Child("livenessProbe"), c.LivenessProbe, true)
	r.probe(p.Child("readinessProbe"), c.ReadinessProbe, false)
	r.probe(p.Child("startupProbe"), c.StartupProbe, true)
}

func (r containerRules) ports(p *field.Path, ports []corev1.ContainerPort) {
	names := map[string]bool{}
	for i, port := range ports {
		p := p.Index(i)
		if port.Name != "" && len(validation.IsValidPortName(port.Name)) == 0 {
			r.distinct(p.Child("name"), port.Name, names)
		}
		r.optional(p.Child("name"), port.Name, validation.IsValidPortName)
		if port.ContainerPort == 0 {
			r.add(field.Required(p.Child("containerPort"), ""))
		} else {
			r.port(p.Child("containerPort"), port.ContainerPort)
		}
		if port.HostPort != 0 {
			r.port(p.Child("hostPort"), port.HostPort)
		}
		oneOf(r.report, p.Child("protocol"), port.Protocol, corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)
	}
}

// hostPorts checks that no two containers use a port of the node.
func (r containerRules) hostPorts(p *field.Path, containers []corev1.Container) {
	used := map[string]bool{}
	for i, c := range containers {
		for j, port := range c.Ports {
			if port.HostPort != 0 {
				r.distinct(p.Index(i).Child("ports").Index(j).Child("hostPort"),
					fmt.Sprintf("%s/%s/%d", port.Protocol, port.HostIP, port.HostPort), used)
			}
		}
	}
}

func (r containerRules) env(p *field.Path, vars []corev1.EnvVar) {
	for i, v := range vars {
		p := p.Index(i)
		r.named(p.Child("name"), v.Name, validation.IsRelaxedEnvVarName)
		if v.ValueFrom != nil {
			r.valueFrom(p.Child("valueFrom"), v.ValueFrom, v.Value)
		}
	}
}

func (r containerRules) valueFrom(p *field.Path, from *corev1.EnvVarSource, value string) {
	sources := 0
	if s := from.FieldRef; s != nil {
		sources++
		r.podField(p.Child("fieldRef"), s, fieldsOfVariables())
	}
	if s := from.ResourceFieldRef; s != nil {
		sources++
		r.containerResource(p.Child("resourceFieldRef"), s, false)
	}
	if s := from.ConfigMapKeyRef; s != nil {
		sources++
		r.keyOf(p.Child("configMapKeyRef"), s.Name, s.Key)
	}
	if s := from.SecretKeyRef; s != nil {
		sources++
		r.keyOf(p.Child("secretKeyRef"), s.Name, s.Key)
	}
	if s := from.FileKeyRef; s != nil {
		sources++
		p := p.Child("fileKeyRef")
		r.named(p.Child("key"), s.Key, validation.IsRelaxedEnvVarName)
		r.named(p.Child("volumeName"), s.VolumeName, validation.IsDNS1123Label)
		if r.given(p.Child("path"), s.Path) {
			r.noBacksteps(p.Child("path"), s.Path)
		}
	}
	switch {
	case sources == 0:
		r.add(field.Invalid(p, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` "+
			"or `fileKeyRef`"))
	case value != "":
		r.add(field.Invalid(p, "", "may not be specified when `value` is not empty"))
	case sources > 1:
		r.add(field.Invalid(p, "", "may not have more than one field specified at a time"))
	}
}

func (r containerRules) keyOf(p *field.Path, name, key string) {
	r.follows(p.Child("name"), name, validation.IsDNS1123Subdomain)
	r.named(p.Child("key"), key, validation.IsConfigMapKey)
}

func (r containerRules) envFrom(list *field.Path, sources []corev1.EnvFromSource) {
	for i, s := range sources {
		p := list.Index(i)
		r.optional(p.Child("prefix"), s.Prefix, validation.IsRelaxedEnvVarName)
		if s.ConfigMapRef != nil {
			r.named(p.Child("configMapRef", "name"), s.ConfigMapRef.Name, validation.IsDNS1123Subdomain)
		}
		if s.SecretRef != nil {
			r.named(p.Child("secretRef", "name"), s.SecretRef.Name, validation.IsDNS1123Subdomain)
		}
		if s.ConfigMapRef == nil && s.SecretRef == nil {
			r.add(field.Invalid(list, "", "must specify one of: `configMapRef` or `secretRef`"))
		} else if s.ConfigMapRef != nil && s.SecretRef != nil {
			r.add(field.Invalid(list, "", "may not have more than one field specified at a time"))
		}
	}
}

func (r containerRules) mounts(list *field.Path, c *corev1.Container) {
	paths := map[string]bool{}
	for i, m := range c.VolumeMounts {
		p := list.Index(i)
		r.given(p.Child("name"), m.Name)
		r.is(r.volumes[m.Name] != nil, field.NotFound(p.Child("name"), m.Name))
		r.given(p.Child("mountPath"), m.MountPath)
		r.is(!paths[m.MountPath], field.Invalid(p.Child("mountPath"), m.MountPath, "must be unique"))
		paths[m.MountPath] = true
		for _, d := range c.VolumeDevices {
			if d.Name == m.Name {
				r.add(field.Invalid(p.Child("name"), m.Name, "must not already exist in volumeDevices"))
				break
			}
		}
		r.is(!slices.Contains(devicePaths(c.VolumeDevices), m.MountPath), field.Invalid(p.Child("mountPath"), m.MountPath,
			"must not already exist as a path in volumeDevices"))
		if m.SubPath != "" {
			r.relativePath(list.Child("subPath"), m.SubPath)
		}
		if m.SubPathExpr != "" {
			r.is(m.SubPath == "", field.Invalid(p.Child("subPathExpr"), m.SubPathExpr,
				"subPathExpr and subPath are mutually exclusive"))
			r.relativePath(list.Child("subPathExpr"), m.SubPathExpr)
		}
		if m.MountPropagation != nil {
			r.propagation(list.Child("mountPropagation"), *m.MountPropagation, c)
		}
		if m.RecursiveReadOnly != nil {
			r.recursiveReadOnly(list.Child("recursiveReadOnly"), &m)
		}
	}
}

// mountPaths and devicePaths return the paths at which a container sees volumes. If a volume has several paths, the
// last one counts.
func mountPaths(mounts []corev1.VolumeMount) []string {
	paths := map[string]string{}
	for _, m := range mounts {
		paths[m.Name] = m.MountPath
	}
	return slices.Collect(maps.Values(paths))
}

func devicePaths(devices []corev1.VolumeDevice) []string {
	paths := map[string]string{}
	for _, d := range devices {
		paths[d.Name] = d.DevicePath
	}
	return slices.Collect(maps.Values(paths))
}

// recursiveReadOnly checks the mode that makes everything mounted below a volume read-only, too. The volume itself must
// be read-only.
func (r containerRules) recursiveReadOnly(p *field.Path, m *corev1.VolumeMount) {
	switch *m.RecursiveReadOnly {
	case corev1.RecursiveReadOnlyDisabled:
	case corev1.RecursiveReadOnlyEnabled, corev1.RecursiveReadOnlyIfPossible:
		r.is(m.ReadOnly, field.Forbidden(p, "may only be specified when readOnly is true"))
		r.is(m.MountPropagation == nil || *m.MountPropagation == corev1.MountPropagationNone,
			field.Forbidden(p, "may only be specified when mountPropagation is None or not specified"))
	default:
		supported(r.report, p, *m.RecursiveReadOnly, corev1.RecursiveReadOnlyDisabled, corev1.RecursiveReadOnlyEnabled,
			corev1.RecursiveReadOnlyIfPossible)
	}
}

// stopSignal checks the signal that ends a container, which the operating system must know.
func (r containerRules) stopSignal(p *field.Path, signal corev1.Signal) {
	switch {
	case r.pod.OS == nil:
		r.add(field.Forbidden(p, "may not be set for containers with empty `spec.os.name`"))
	case r.pod.OS.Name == corev1.Windows:
		supported(r.report, p, signal, corev1.SIGKILL, corev1.SIGTERM)
	case r.pod.OS.Name == corev1.Linux:
		supported(r.report, p, signal, linuxSignals()...)
	}
}

// linuxSignals returns the signals of Linux in the order of their names.
func linuxSignals() []corev1.Signal {
	var all []corev1.Signal
	for name := range strings.FieldsSeq("ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT " +
		"SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN RTMAX") {
		all = append(all, corev1.Signal("SIG"+name))
	}
	for n := 1; n <= 15; n++ {
		all = append(all, corev1.Signal(fmt.Sprintf("SIGRTMIN+%d", n)))
		if n < 15 {
			all = append(all, corev1.Signal(fmt.Sprintf("SIGRTMAX-%d", n)))
		}
	}
	slices.Sort(all)
	return all
}

func (r containerRules) propagation(p *field.Path, mode corev1.MountPropagationMode, c *corev1.Container) {
	supported(r.report, p, mode, corev1.MountPropagationBidirectional, corev1.MountPropagationHostToContainer,
		corev1.MountPropagationNone)
	if mode == corev1.MountPropagationBidirectional {
		s := c.SecurityContext
		r.is(s != nil && s.Privileged != nil && *s.Privileged, field.Forbidden(p,
			"Bidirectional mount propagation is available only to privileged containers"))
	}
}

func (r containerRules) devices(list *field.Path, c *corev1.Container) {
	names, paths := map[string]bool{}, map[string]bool{}
	for i, d := range c.VolumeDevices {
		p := list.Index(i)
		v := r.volumes[d.Name]
		r.given(p.Child("name"), d.Name)
		r.is(v != nil, field.NotFound(p.Child("name"), d.Name))
		r.is(v == nil || v.PersistentVolumeClaim != nil || v.Ephemeral != nil,
			field.Invalid(p.Child("name"), d.Name, "can only use volume source type of PersistentVolumeClaim or Ephemeral for "+
				"block mode"))
		r.given(p.Child("devicePath"), d.DevicePath)
		if d.Name != "" {
			r.is(!names[d.Name], field.Invalid(p.Child("name"), d.Name, "must be unique"))
			names[d.Name] = true
		}
		r.is(!paths[d.DevicePath], field.Invalid(p.Child("devicePath"), d.DevicePath, "must be unique"))
		if stepsBack(d.DevicePath) {
			r.add(field.Invalid(p.Child("devicePath"), d.DevicePath, "can not contain backsteps ('..')"))
		} else {
			paths[d.DevicePath] = true
		}
		r.is(!slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == d.Name }),
			field.Invalid(p.Child("name"), d.Name, "must not already exist in volumeMounts"))
		r.is(!slices.Contains(mountPaths(c.VolumeMounts), d.DevicePath),
			field.Invalid(p.Child("devicePath"), d.DevicePath, "must not already exist as a path in volumeMounts"))
	}
}

// probe checks a probe. A probe whose first success decides cannot ask for more than one.
func (r containerRules) probe(p *field.Path, probe *corev1.Probe, once bool) {
	if probe == nil {
		return
	}
	r.handler(p, action{probe.Exec, probe.HTTPGet, probe.TCPSocket, probe.GRPC, nil})
	number(r.report, p.Child("initialDelaySeconds"), probe.InitialDelaySeconds)
	number(r.report, p.Child("timeoutSeconds"), probe.TimeoutSeconds)
	number(r.report, p.Child("periodSeconds"), probe.PeriodSeconds)
	number(r.report, p.Child("successThreshold"), probe.SuccessThreshold)
	number(r.report, p.Child("failureThreshold"), probe.FailureThreshold)
	grace := probe.TerminationGracePeriodSeconds
	if grace != nil && *grace <= 0 {
		r.add(field.Invalid(p.Child("terminationGracePeriodSeconds"), *grace, "must be greater than 0"))
	}
	if once {
		r.is(probe.SuccessThreshold == 1, field.Invalid(p.Child("successThreshold"), probe.SuccessThreshold, "must be 1"))
	} else {
		r.is(grace == nil, field.Invalid(p.Child("terminationGracePeriodSeconds"), grace,
			"must not be set for readinessProbes"))
	}
}

func (r containerRules) lifecycle(p *field.Path, h *corev1.LifecycleHandler) {
	r.handler(p, action{h.Exec, h.HTTPGet, h.TCPSocket, nil, h.Sleep})
}

// action is what a probe or a handler does: one of these.
type action struct {
	exec  *corev1.ExecAction
	http  *corev1.HTTPGetAction
	tcp   *corev1.TCPSocketAction
	grpc  *corev1.GRPCAction
	sleep *corev1.SleepAction
}

func (r containerRules) handler(p *field.Path, a action) {
	checks := []struct {
		name  string
		set   bool
		check func(p *field.Path)
	}{
		{"exec", a.exec != nil, func(p *field.Path) {
			r.is(len(a.exec.Command) > 0,
				field.Required(p.Child("command"), ""))
		}},
		{"httpGet", a.http != nil, func(p *field.Path) { r.httpGet(p, a.http) }},
		{"tcpSocket", a.tcp != nil, func(p *field.Path) { r.portOrName(p.Child("port"), a.tcp.Port) }},
		{"grpc", a.grpc != nil, func(p *field.Path) { r.portOrName(p.Child("port"), intstr.FromInt32(a.grpc.Port)) }},
		{"sleep", a.sleep != nil, func(p *field.Path) {
			grace := r.pod.TerminationGracePeriodSeconds
			r.is(grace == nil || a.sleep.Seconds >= 0 && a.sleep.Seconds <= *grace, field.Invalid(p, a.sleep.Seconds,
				fmt.Sprintf("must be non-negative and less than terminationGracePeriodSeconds (%d)", ptr.Deref(grace, 0))))
		}},
	}
	set := false
	for _, c := range checks {
		switch {
		case c.set && set:
			r.add(field.Forbidden(p.Child(c.name), "may not specify more than 1 handler type"))
		case c.set:
			set = true
			c.check(p.Child(c.name))
		}
	}
	r.is(set, field.Required(p, "must specify a handler type"))
}

func (r containerRules) httpGet(p *field.Path, a *corev1.HTTPGetAction) {
	r.given(p.Child("path"), a.Path)
	r.portOrName(p.Child("port"), a.Port)
	supported(r.report, p.Child("scheme"), a.Scheme, corev1.URISchemeHTTP, corev1.URISchemeHTTPS)
	for _, h := range a.HTTPHeaders {
		r.follows(p.Child("httpHeaders"), h.Name, validation.IsHTTPHeaderName)
	}
}
