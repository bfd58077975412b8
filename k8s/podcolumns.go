package k8s

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/duration"
)

func podColumns() []column {
	return []column{
		text("Ready", "The aggregate readiness state of this pod for accepting traffic.", func(p *corev1.Pod) any {
			s := summaryOf(p)
			return fmt.Sprintf("%d/%d", s.ready, s.containers)
		}),
		text("Status", "The aggregate status of the containers in this pod.",
			func(p *corev1.Pod) any { return summaryOf(p).reason }),
		text("Restarts", "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.",
			func(p *corev1.Pod) any { return summaryOf(p).restarted.String() }),
		age(),
		wide(text("IP", documented[corev1.PodStatus]("podIP"), func(p *corev1.Pod) any {
			if len(p.Status.PodIPs) == 0 {
				return none
			}
			return cmp.Or(p.Status.PodIPs[0].IP, none)
		})),
		wide(text("Node", documented[corev1.PodSpec]("nodeName"),
			func(p *corev1.Pod) any { return cmp.Or(p.Spec.NodeName, none) })),
		wide(text("Nominated Node", documented[corev1.PodStatus]("nominatedNodeName"),
			func(p *corev1.Pod) any { return cmp.Or(p.Status.NominatedNodeName, none) })),
		wide(text("Readiness Gates", documented[corev1.PodSpec]("readinessGates"), func(p *corev1.Pod) any {
			if len(p.Spec.ReadinessGates) == 0 {
				return none
			}
			open := 0
			for _, gate := range p.Spec.ReadinessGates {
				if holds(p, gate.ConditionType) {
					open++
				}
			}
			return fmt.Sprintf("%d/%d", open, len(p.Spec.ReadinessGates))
		})),
	}
}

// holds reports whether the first condition of a type is true.
func holds(p *corev1.Pod, of corev1.PodConditionType) bool {
	i := slices.IndexFunc(p.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == of })
	return i >= 0 && p.Status.Conditions[i].Status == corev1.ConditionTrue
}

// summary is a pod in a few words.
type summary struct {
	ready, containers int
	reason            string
	restarted         restarts
}

// restarts counts the restarts of containers, and holds the time of the last one.
type restarts struct {
	times int
	last  metav1.Time
}

func (r *restarts) add(c corev1.ContainerStatus) {
	r.times += int(c.RestartCount)
	if ended := c.LastTerminationState.Terminated; ended != nil && r.last.Before(&ended.FinishedAt) {
		r.last = ended.FinishedAt
	}
}

func (r restarts) String() string {
	if r.times == 0 || r.last.IsZero() {
		return strconv.Itoa(r.times)
	}
	return fmt.Sprintf("%d (%s ago)", r.times, duration.HumanDuration(time.Since(r.last.Time)))
}

// summaryOf summarizes the init containers while they run, and the others afterwards.
func summaryOf(p *corev1.Pod) summary {
	s := summary{containers: len(p.Spec.Containers), reason: cmp.Or(p.Status.Reason, string(p.Status.Phase))}
	if slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Reason == corev1.PodReasonSchedulingGated
	}) {
		s.reason = corev1.PodReasonSchedulingGated
	}
	sidecars := map[string]bool{} // init containers that keep running beside the others
	for _, c := range p.Spec.InitContainers {
		if given(c.RestartPolicy, "") == corev1.ContainerRestartPolicyAlways {
			sidecars[c.Name] = true
			s.containers++
		}
	}
	ofSidecars, initializing := s.addInit(p, sidecars)
	if !initializing || holds(p, corev1.PodInitialized) {
		s.restarted = ofSidecars
		s.addContainers(p)
	}
	switch {
	case !deleting(p):
	case p.Status.Reason == "NodeLost":
		s.reason = "Unknown"
	case p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed:
		s.reason = "Terminating"
	}
	return s
}

// addInit adds the init containers up to the current one.
func (s *summary) addInit(p *corev1.Pod, sidecars map[string]bool) (ofSidecars restarts, initializing bool) {
	for i, c := range p.Status.InitContainerStatuses {
		s.restarted.add(c)
		if sidecars[c.Name] {
			ofSidecars.add(c)
		}
		ended, waiting := c.State.Terminated, c.State.Waiting
		switch {
		case ended != nil && ended.ExitCode == 0:
			continue
		case sidecars[c.Name] && given(c.Started, false):
			if c.Ready {
				s.ready++
			}
			continue
		case ended != nil:
			s.reason = "Init:" + endedBy(ended)
		case waiting != nil && waiting.Reason != "" && waiting.Reason != "PodInitializing":
			s.reason = "Init:" + waiting.Reason
		default:
			s.reason = fmt.Sprintf("Init:%d/%d", i, len(p.Spec.InitContainers))
		}
		return ofSidecars, true
	}
	return ofSidecars, false
}

// addContainers adds the main containers. The first one with a reason decides the reason of the pod.
func (s *summary) addContainers(p *corev1.Pod) {
	running, failure := false, ""
	for _, c := range slices.Backward(p.Status.ContainerStatuses) {
		s.restarted.add(c)
		ended, waiting := c.State.Terminated, c.State.Waiting
		switch {
		case waiting != nil && waiting.Reason != "":
			s.reason = waiting.Reason
		case ended != nil:
			s.reason = endedBy(ended)
			if ended.ExitCode != 0 {
				failure = s.reason
			}
		case c.Ready && c.State.Running != nil:
			running = true
			s.ready++
		}
	}
	if s.reason != "Completed" {
		return
	}
	switch { // one container has completed, but perhaps not the pod
	case running && slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	}):
		s.reason = "Running"
	case failure != "":
		s.reason = failure
	case running:
		s.reason = "NotReady"
	}
}

// endedBy returns why a container has ended.
func endedBy(ended *corev1.ContainerStateTerminated) string {
	switch {
	case ended.Reason != "":
		return ended.Reason
	case ended.Signal != 0:
		return fmt.Sprintf("Signal:%d", ended.Signal)
	}
	return fmt.Sprintf("ExitCode:%d", ended.ExitCode)
}

func podTemplateColumns() []column {
	return append(containerColumns(func(t *corev1.PodTemplate) []corev1.Container { return t.Template.Spec.Containers }),
		text("Pod Labels", "The labels for the pod template.",
			func(t *corev1.PodTemplate) any { return labels.FormatLabels(t.Template.Labels) }))
}

// containerColumns returns the columns for the containers of a template.
func containerColumns[V any](containers func(obj *V) []corev1.Container) []column {
	each := func(of func(c corev1.Container) string) func(obj *V) any {
		return func(obj *V) any {
			var out []string
			for _, c := range containers(obj) {
				out = append(out, of(c))
			}
			return strings.Join(out, ",")
		}
	}
	return []column{
		text("Containers", "Names of each container in the template.",
			each(func(c corev1.Container) string { return c.Name })),
		text("Images", "Images referenced by each container in the template.",
			each(func(c corev1.Container) string { return c.Image })),
	}
}
