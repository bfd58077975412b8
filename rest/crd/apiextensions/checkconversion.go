package apiextensions

import (
	"crypto/x509"

	"github.com/decorum-go/decorum/rest/internal/clientconfig"
	"github.com/decorum-go/decorum/status"
)

// webhookOf returns the webhook of a definition, or nil.
func webhookOf(s *CustomResourceDefinitionSpec) *WebhookConversion {
	if s.Conversion == nil {
		return nil
	}
	return s.Conversion.Webhook
}

// conversion checks how objects are converted. The errors name the members of a webhook as older versions of the kind
// do.
func (c *checker) conversion(s *CustomResourceDefinitionSpec, parent *status.Path) {
	if s.Conversion == nil {
		return
	}
	at, strategy := parent.Child("conversion"), s.Conversion.Strategy
	if strategy != NoneConverter && s.PreserveUnknownFields {
		c.fail(status.InvalidField(at.Child("strategy"), string(strategy),
			"must be None if spec.preserveUnknownFields is true"))
	}
	before := c.found
	c.oneOf(string(strategy), at.Child("strategy"), string(NoneConverter), string(WebhookConverter))
	hook, client, versions := s.Conversion.Webhook, (*WebhookClientConfig)(nil), []string(nil)
	if hook != nil {
		client, versions = hook.ClientConfig, hook.ConversionReviewVersions
	}
	if strategy != WebhookConverter {
		if client != nil {
			c.fail(status.ForbiddenField(at.Child("webhookClientConfig"),
				"should not be set when strategy is not set to Webhook"))
		}
		if len(versions) > 0 {
			c.fail(status.ForbiddenField(at.Child("conversionReviewVersions"),
				"should not be set when strategy is not set to Webhook"))
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
		c.fail(clientconfig.URL(*w.URL, at.Child("url"))...)
	default:
		c.fail(clientconfig.Service(*w.Service).Validate(at.Child("service"))...)
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

func (c *checker) reviewVersions(versions []string, at *status.Path) {
	if len(versions) == 0 {
		c.fail(status.RequiredField(at, ""))
		return
	}
	c.fail(clientconfig.ReviewVersions(versions, c.lenient.reviewVersions, at)...)
}
