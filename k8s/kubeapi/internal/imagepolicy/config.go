package imagepolicy

import (
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/rest/kubeconfig"
)

// config is what an operator chooses.
type config struct {
	server             kubeconfig.Config
	backoff            time.Duration // the pause before the second attempt
	allowTTL, denyTTL  time.Duration // how long to keep an answer; 0 keeps none
	allowAfterFailures bool
}

// span is a duration in the configuration: a number of units, 0 for the default, or -1 for no time at all.
type span struct {
	value               int64
	unit, def, min, max time.Duration
}

func (s span) duration() (time.Duration, error) {
	switch s.value {
	case -1:
		return 0, nil
	case 0:
		return s.def, nil
	}
	d := time.Duration(s.value) * s.unit
	if d < s.min || d > s.max || d/s.unit != time.Duration(s.value) {
		return 0, fmt.Errorf("valid value is between %v and %v, got %v", s.min, s.max, d)
	}
	return d, nil
}

// configIn reads a configuration, which has no apiVersion and no kind.
func configIn(text []byte) (c config, err error) {
	if text == nil {
		return c, errors.New("no config specified")
	}
	var read struct {
		ImagePolicy struct {
			KubeConfigFile string `json:"kubeConfigFile"`
			AllowTTL       int64  `json:"allowTTL"`
			DenyTTL        int64  `json:"denyTTL"`
			RetryBackoff   int64  `json:"retryBackoff"`
			DefaultAllow   bool   `json:"defaultAllow"`
		} `json:"imagePolicy"`
	}
	if err := yaml.Unmarshal(text, &read); err != nil {
		return c, err
	}
	in := read.ImagePolicy
	c.allowAfterFailures = in.DefaultAllow
	for _, t := range []struct {
		name string
		span
		into *time.Duration
	}{
		{"retryBackoff", span{in.RetryBackoff, time.Millisecond, 500 * time.Millisecond, 1, 5 * time.Minute}, &c.backoff},
		{"allowTTL", span{in.AllowTTL, time.Second, 5 * time.Minute, time.Second, 30 * time.Minute}, &c.allowTTL},
		{"denyTTL", span{in.DenyTTL, time.Second, 30 * time.Second, time.Second, 30 * time.Minute}, &c.denyTTL},
	} {
		if *t.into, err = t.duration(); err != nil {
			return c, fmt.Errorf("imagePolicy.%s: %w", t.name, err)
		}
	}
	if in.KubeConfigFile == "" {
		return c, errors.New("imagePolicy.kubeConfigFile: required")
	}
	c.server, err = kubeconfig.Load(kubeconfig.Options{Run: kubeconfig.RunExec}, in.KubeConfigFile)
	return c, err
}
