package apiextensions

import (
	"crypto/x509"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

// webhookOf returns the webhook of a definition, or nil.
func webhookOf(s *CustomResourceDefinitionSpec) *WebhookConversion {
	if s.Conversion == nil {
		return nil
	}
	return s.Conversion.Webhook
}

// conversion checks how objects are converted. The errors name the members of a webhook as older versions of the kind do.
func (c *checker) conversion(s *CustomResourceDefinitionSpec, parent *status.Path) {
	if s.Conversion == nil {
		return
	}
	at, strategy := parent.Child("conversion"), s.Conversion.Strategy
	if strategy != NoneConverter && s.PreserveUnknownFields {
		c.fail(status.InvalidField(at.Child("strategy"), string(strategy), "must be None if spec.preserveUnknownFields is true"))
	}
	before := c.found
	c.oneOf(string(strategy), at.Child("strategy"), string(NoneConverter), string(WebhookConverter))
	hook, client, versions := s.Conversion.Webhook, (*WebhookClientConfig)(nil), []string(nil)
	if hook != nil {
		client, versions = hook.ClientConfig, hook.ConversionReviewVersions
	}
	if strategy != WebhookConverter {
		if client != nil {
			c.fail(status.ForbiddenField(at.Child("webhookClientConfig"), "should not be set when strategy is not set to Webhook"))
		}
		if len(versions) > 0 {
			c.fail(status.ForbiddenField(at.Child("conversionReviewVersions"), "should not be set when strategy is not set to Webhook"))
		}
		return
	}
	c.webhookClient(client, at.Child("webhookClientConfig"))
	c.reviewVersions(versions, at.Child("conversionReviewVersions"))
	if !c.checks.Webhooks && !c.lenient.webhook && c.found == before {
		c.fail(status.ForbiddenField(at.Child("strategy"), "this server does not call conversion webhooks; use None"))
	}
}

func (c *checker) webhookClient(w *WebhookClientConfig, at *status.Path) {
	switch {
	case w == nil:
		c.fail(status.RequiredField(at, "required when strategy is set to Webhook"))
		return
	case (w.URL == nil) == (w.Service == nil):
		c.fail(status.RequiredField(at, "exactly one of url or service is required"))
	case w.URL != nil:
		c.webhookURL(*w.URL, at.Child("url"))
	default:
		c.webhookService(w.Service, at.Child("service"))
	}
	if len(w.CABundle) > 0 && !c.lenient.caBundle {
		if fault := faultOfCertificates(w.CABundle); fault != "" {
			c.fail(status.InvalidField(at.Child("caBundle"), w.CABundle, fault))
		}
	}
}

func faultOfCertificates(pem []byte) string {
	if x509.NewCertPool().AppendCertsFromPEM(pem) {
		return ""
	}
	return "unable to load root certificates: unable to parse bytes as PEM block"
}

func (c *checker) webhookURL(text string, at *status.Path) {
	const form = "; desired format: https://host[/path]"
	u, err := url.Parse(text)
	if err != nil {
		c.fail(status.RequiredField(at, "url must be a valid URL: "+err.Error()+form))
		return
	}
	for _, rule := range []struct {
		broken        bool
		value, detail string
	}{
		{u.Scheme != "https", u.Scheme, "'https' is the only allowed URL scheme" + form},
		{u.Host == "", u.Host, "host must be specified" + form},
		{u.User != nil, u.User.String(), "user information is not permitted in the URL"},
		{u.Fragment != "", u.Fragment, "fragments are not permitted in the URL"},
		{u.RawQuery != "", u.RawQuery, "query parameters are not permitted in the URL"},
	} {
		if rule.broken {
			c.fail(status.InvalidField(at, rule.value, rule.detail))
		}
	}
}

func (c *checker) webhookService(s *ServiceReference, at *status.Path) {
	if s.Name == "" {
		c.fail(status.RequiredField(at.Child("name"), ""))
	}
	if s.Namespace == "" {
		c.fail(status.RequiredField(at.Child("namespace"), ""))
	}
	if s.Port != nil && (*s.Port < 1 || *s.Port > 65535) {
		c.fail(status.InvalidField(at.Child("port"), *s.Port, "port is not valid: must be between 1 and 65535, inclusive"))
	}
	if s.Path == nil || *s.Path == "" || *s.Path == "/" {
		return
	}
	path := *s.Path
	if path == "//" {
		c.fail(status.InvalidField(at.Child("path"), path, "segment[0] may not be empty"))
		return
	}
	if path[0] != '/' {
		c.fail(status.InvalidField(at.Child("path"), path, "must start with a '/'"))
	}
	for i, segment := range strings.Split(strings.TrimSuffix(path[1:], "/"), "/") {
		faults := []string{"may not be empty"}
		form := "segment[%d] %s"
		if segment != "" {
			faults, form = apimeta.ValidateDNS1123Subdomain(segment), "segment[%d]: %s"
		}
		for _, fault := range faults {
			c.fail(status.InvalidField(at.Child("path"), path, fmt.Sprintf(form, i, fault)))
		}
	}
}

// understood reports whether a server understands one of the versions of ConversionReview.
func understood(versions []string) bool {
	return slices.Contains(versions, "v1") || slices.Contains(versions, "v1beta1")
}

func (c *checker) reviewVersions(versions []string, at *status.Path) {
	if len(versions) == 0 {
		c.fail(status.RequiredField(at, ""))
		return
	}
	for i, v := range versions {
		if slices.Contains(versions[:i], v) {
			c.fail(status.InvalidField(at.Index(i), v, "duplicate version"))
			continue
		}
		for _, fault := range apimeta.ValidateDNS1035Label(v) {
			c.fail(status.InvalidField(at.Index(i), v, fault))
		}
	}
	if !c.lenient.reviewVersions && !understood(versions) {
		c.fail(status.InvalidField(at, versions, "must include at least one of v1, v1beta1"))
	}
}
