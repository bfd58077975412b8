package main

import "k8s.io/apimachinery/pkg/runtime"

// The caches of controller-runtime return copies, and make them by these
// methods. controller-gen generates the methods for projects with many kinds.

func (d *Database) DeepCopyObject() runtime.Object {
	out := *d
	out.ObjectMeta = *d.ObjectMeta.DeepCopy()
	out.Status.Conditions = append(d.Status.Conditions[:0:0], d.Status.Conditions...)
	return &out
}

func (i *Instance) DeepCopyObject() runtime.Object {
	out := *i
	out.ObjectMeta = *i.ObjectMeta.DeepCopy()
	return &out
}

func (l *DatabaseList) DeepCopyObject() runtime.Object {
	out := *l
	out.ListMeta = *l.ListMeta.DeepCopy()
	out.Items = make([]Database, len(l.Items))
	for i := range l.Items {
		out.Items[i] = *l.Items[i].DeepCopyObject().(*Database)
	}
	return &out
}

func (l *InstanceList) DeepCopyObject() runtime.Object {
	out := *l
	out.ListMeta = *l.ListMeta.DeepCopy()
	out.Items = make([]Instance, len(l.Items))
	for i := range l.Items {
		out.Items[i] = *l.Items[i].DeepCopyObject().(*Instance)
	}
	return &out
}
