package controller_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/resttest"
)

func TestSetControllerReference(t *testing.T) {
	w := newWorkshop(t)
	a, b := w.create(gear("a", 1)), w.create(gear("b", 1))
	machine, err := resttest.Client[Machine](t, w.api).Create(t.Context(),
		&Machine{ObjectMeta: apimeta.ObjectMeta{Name: "m"}})
	require.NoError(t, err)
	yes := true
	to := func(g *Gear, controls *bool) apimeta.OwnerReference {
		return apimeta.OwnerReference{APIVersion: group + "/v1", Kind: "Gear", Name: g.Name, UID: g.UID, Controller: controls,
			BlockOwnerDeletion: controls}
	}
	again := *a
	again.UID = "an older one"
	tooth := func(namespace, uid string, refs ...apimeta.OwnerReference) *Tooth {
		return &Tooth{ObjectMeta: apimeta.ObjectMeta{Name: "t", Namespace: namespace, UID: uid, OwnerReferences: refs}}
	}
	for _, c := range []struct {
		name  string
		tooth *Tooth
		want  []apimeta.OwnerReference
		err   string
	}{
		{"a new object", tooth("", ""), []apimeta.OwnerReference{to(a, &yes)}, ""},
		{"an object in the namespace", tooth("default", "u"), []apimeta.OwnerReference{to(a, &yes)}, ""},
		{"an object that the owner already controls", tooth("default", "u", to(a, &yes)),
			[]apimeta.OwnerReference{to(a, &yes)}, ""},
		{"an object that the owner already owns", tooth("default", "u", to(a, nil), to(b, nil)),
			[]apimeta.OwnerReference{to(a, &yes), to(b, nil)}, ""},
		{"an object with another owner", tooth("default", "u", to(b, nil)), []apimeta.OwnerReference{to(b, nil), to(a, &yes)},
			""},
		{"an object with another controller", tooth("default", "u", to(b, &yes)), nil,
			`the object already has the controller Gear "b" with uid "` + b.UID + `"`},
		{"an object of a deleted owner with the same name", tooth("default", "u", to(&again, &yes)), nil,
			`the controller Gear "a" with uid "an older one"`},
		{"an object in another namespace", tooth("kitchen", ""), nil,
			`an owner in namespace "default" cannot own an object in namespace "kitchen"`},
		{"a cluster-scoped object", tooth("", "u"), nil,
			`an owner in namespace "default" cannot own a cluster-scoped object`},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := c.tooth.Clone()
			err := controller.SetControllerReference(a, c.tooth)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				assert.Equal(t, before, c.tooth.ObjectMeta, "it is as it was")
				var owned *controller.OwnedError
				assert.Equal(t, strings.Contains(c.err, "the controller"), errors.As(err, &owned))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, c.tooth.OwnerReferences)
			assert.Equal(t, "default", c.tooth.Namespace)
		})
	}
	t.Run("a cluster-scoped owner", func(t *testing.T) {
		in := tooth("kitchen", "")
		require.NoError(t, controller.SetControllerReference(machine, in))
		assert.Equal(t, "kitchen", in.Namespace)
		assert.Equal(t, "Machine", in.OwnerReferences[0].Kind)
	})
	t.Run("an owner that is not stored", func(t *testing.T) {
		assert.ErrorContains(t, controller.SetControllerReference(gear("x", 1), tooth("", "")),
			`the owner "x" has no name, uid, apiVersion or kind: read it through a client`)
	})
	t.Run("an object without references", func(t *testing.T) {
		assert.ErrorContains(t, controller.SetControllerReference(a, &Foreign{}),
			"*controller_test.Foreign has no metadata.ownerReferences")
	})
	t.Run("an object with the metadata of others", func(t *testing.T) {
		type uid string
		type reference struct {
			Kind       string `json:"kind"`
			APIVersion string `json:"apiVersion"`
			Name       string `json:"name"`
			UID        uid    `json:"uid"`
			Controller *bool  `json:"controller,omitempty"`
			Blocks     *bool  `json:"blockOwnerDeletion,omitempty"`
		}
		type meta struct {
			Namespace       string      `json:"namespace,omitempty"`
			OwnerReferences []reference `json:"ownerReferences,omitempty"`
		}
		obj := &struct {
			Meta meta `json:"metadata"`
		}{}
		require.NoError(t, controller.SetControllerReference(a, obj))
		assert.Equal(t, meta{"default", []reference{{"Gear", group + "/v1", "a", uid(a.UID), &yes, &yes}}}, obj.Meta)
	})
}

// A change of an object enqueues the owner that SetControllerReference has set.
func TestSetControllerReferenceIsStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		a := w.create(gear("a", 1))
		gears, teeth := gearInformer(w, controller.InformerOptions[Gear]{}),
			controller.NewInformer(resttest.Client[Tooth](t, w.api), controller.InformerOptions[Tooth]{})
		c := newCalls(func(controller.Key, int) (controller.Result, error) { return controller.Result{}, nil })
		run(t, controller.New(c.reconcile, controller.Options{}, controller.For(gears), controller.Owned(teeth, gears)))
		assert.Equal(t, []string{"a after 0s"}, c.read())
		_, _, err := controller.CreateOrUpdate(t.Context(), resttest.Client[Tooth](t, w.api).Namespace("default"), "t",
			func(tooth *Tooth) error {
				return controller.SetControllerReference(a, tooth)
			})
		require.NoError(t, err)
		assert.Equal(t, []string{"a after 0s"}, c.read())
	})
}
