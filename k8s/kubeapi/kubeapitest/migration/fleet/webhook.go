package fleet

import (
	"context"
	"errors"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// SetupShipWebhookWithManager registers the webhooks of config/webhook.
func SetupShipWebhookWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &Ship{}).WithDefaulter(shipwright{}).WithValidator(admiralty{}).Complete()
}

type shipwright struct{}

func (shipwright) Default(_ context.Context, s *Ship) error {
	if s.Spec.Class == "" {
		s.Spec.Class = "Sloop"
	}
	return nil
}

type admiralty struct{}

func (admiralty) ValidateCreate(_ context.Context, s *Ship) (admission.Warnings, error) {
	return validate(s)
}

func (admiralty) ValidateUpdate(_ context.Context, _, s *Ship) (admission.Warnings, error) {
	return validate(s)
}

func (admiralty) ValidateDelete(context.Context, *Ship) (admission.Warnings, error) { return nil, nil }

func validate(s *Ship) (admission.Warnings, error) {
	if s.Spec.Class == "Sloop" && s.Spec.Guns > 10 {
		return nil, errors.New("a sloop carries at most 10 guns")
	}
	return nil, nil
}
