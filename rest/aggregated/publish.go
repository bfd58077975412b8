package aggregated

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/apiservice"
	"github.com/decorum-go/decorum/rest/internal/backoff"
	"github.com/decorum-go/decorum/status"
)

// publishEvery is how often the plug-in compares the Secret and the APIServices with what they should be.
const publishEvery = 10 * time.Minute

// checkGroups returns an error if the API does not serve a group that the options publish.
func (c *Cluster) checkGroups(api *rest.API) error {
	if c.options.Publish == nil {
		return nil
	}
	served := versionsOf(api, c.options.Publish.Groups)
	for _, group := range c.options.Publish.Groups {
		if len(served[group]) == 0 {
			return fmt.Errorf("Options.Publish.Groups: the API does not serve the group %q", group)
		}
	}
	return nil
}

// publish keeps the authorities, the certificate of the server and the APIServices until ctx ends.
func (c *Cluster) publish(ctx context.Context, api *rest.API) {
	var delays backoff.Backoff
	for {
		err := c.publishOnce(ctx, api, time.Now())
		if ctx.Err() != nil {
			return
		}
		c.missing.set(needsPublishing, err)
		delay := publishEvery
		if err != nil {
			delay = delays.Next(time.Now())
			c.options.Logger.Warn("aggregated: the certificate and the APIServices are not up to date", "error", err,
				"again", delay)
		}
		if !pause(ctx, delay) {
			return
		}
	}
}

func (c *Cluster) publishOnce(ctx context.Context, api *rest.API, now time.Time) error {
	p := c.options.Publish
	all, err := c.keepAuthorities(ctx, now)
	if err != nil {
		return fmt.Errorf("the Secret %s/%s: %w", p.Service.Namespace, p.Secret, err)
	}
	// kube-apiserver must know an authority before the server uses its certificate.
	for group, versions := range versionsOf(api, p.Groups) {
		for i, version := range versions {
			name := version + "." + group
			config := p.service(apimeta.GroupVersion{Group: group, Version: version}, len(versions)-i, all.bundle())
			if _, err := c.clients.services.Apply(ctx, name, config, apimeta.ApplyOptions{Force: true}); err != nil {
				return fmt.Errorf("the APIService %s: %w", name, err)
			}
		}
	}
	return c.serving.renew(p.names(), all.signer(now), now)
}

// versionsOf returns the versions of groups, in the order in which the API serves them.
func versionsOf(api *rest.API, groups []string) map[string][]string {
	versions := map[string][]string{}
	for _, gv := range api.Objects().GroupVersions() {
		if slices.Contains(groups, gv.Group) {
			versions[gv.Group] = append(versions[gv.Group], gv.Version)
		}
	}
	return versions
}

// service returns what the plug-in applies to an APIService.
func (p *Publication) service(gv apimeta.GroupVersion, priority int, bundle []byte) map[string]any {
	return map[string]any{
		"apiVersion": apiservice.Group + "/v1", "kind": "APIService",
		"metadata": map[string]any{"name": gv.Version + "." + gv.Group},
		"spec": map[string]any{
			"group": gv.Group, "version": gv.Version, "service": p.Service, "caBundle": bundle,
			"groupPriorityMinimum": p.GroupPriority, "versionPriority": priority,
		},
	}
}

// keepAuthorities reads the authorities from the Secret, and writes the Secret if it lacks one. If another replica
// writes at the same time, keepAuthorities uses the authorities of that replica.
func (c *Cluster) keepAuthorities(ctx context.Context, now time.Time) (authorities, error) {
	p := c.options.Publish
	for {
		found, err := c.clients.secrets.Get(ctx, p.Secret)
		if err != nil && !status.IsNotFound(err) {
			return nil, err
		}
		var known authorities
		if found != nil {
			if known, err = authoritiesIn(found.Data); err != nil {
				return nil, err
			}
		}
		all, changed, err := known.renewed(p.names()[0], now)
		if err != nil || !changed {
			return all, err
		}
		if err = c.writeAuthorities(ctx, found, all); err == nil {
			return all, nil
		}
		if !status.IsConflict(err) && !status.IsAlreadyExists(err) {
			return nil, err
		}
	}
}

// writeAuthorities creates the Secret, or updates the one that was found.
func (c *Cluster) writeAuthorities(ctx context.Context, found *secret, all authorities) error {
	data, err := all.data()
	if err != nil {
		return err
	}
	if found == nil {
		_, err = c.clients.secrets.Create(ctx, &secret{ObjectMeta: apimeta.ObjectMeta{Name: c.options.Publish.Secret},
			Data: data, Type: "Opaque"})
		return err
	}
	changed := *found
	changed.Data = data
	_, err = c.clients.secrets.Update(ctx, &changed)
	return err
}
