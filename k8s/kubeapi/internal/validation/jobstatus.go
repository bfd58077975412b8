package validation

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// jobConditions are the conditions of a Job whose status is True.
type jobConditions map[batchv1.JobConditionType]bool

func conditionsOf(job *batchv1.Job) jobConditions {
	all := jobConditions{}
	for _, c := range job.Status.Conditions {
		if c.Status == corev1.ConditionTrue {
			all[c.Type] = true
		}
	}
	return all
}

func (c jobConditions) finished() bool { return c[batchv1.JobComplete] || c[batchv1.JobFailed] }

// jobStatus checks that the parts of a Job's status fit each other.
func (r *report) jobStatus(job *batchv1.Job) {
	p := field.NewPath("status")
	s := &job.Status
	r.counts(p, count{"active", s.Active}, count{"succeeded", s.Succeeded}, count{"failed", s.Failed})
	optionalNumber(r, p.Child("ready"), s.Ready)
	optionalNumber(r, p.Child("terminating"), s.Terminating)
	r.uncounted(p.Child("uncountedTerminatedPods"), s.UncountedTerminatedPods)
	r.jobConditions(p.Child("conditions"), job)
	r.jobTimes(p, job)
	if conditionsOf(job).finished() {
		r.finishedJob(p, s)
	}
	r.jobIndexes(p, job)
	r.is(s.Ready == nil || *s.Ready <= s.Active, field.Invalid(p.Child("ready"), s.Ready,
		"cannot set more ready pods than active"))
}

// uncounted checks the Pods that have ended and are in no count.
func (r *report) uncounted(p *field.Path, pods *batchv1.UncountedTerminatedPods) {
	if pods == nil {
		return
	}
	seen := map[string]bool{}
	for _, list := range []struct {
		name string
		uids []types.UID
	}{{"succeeded", pods.Succeeded}, {"failed", pods.Failed}} {
		for i, uid := range list.uids {
			p := p.Child(list.name).Index(i)
			if uid == "" {
				r.add(field.Invalid(p, uid, "must not be empty"))
				continue
			}
			r.distinct(p, string(uid), seen)
		}
	}
}

// jobConditions checks that a Job ends in one way, and announces its end.
func (r *report) jobConditions(p *field.Path, job *batchv1.Job) {
	const complete, failed, success, failure = batchv1.JobComplete, batchv1.JobFailed, batchv1.JobSuccessCriteriaMet,
		batchv1.JobFailureTarget
	is := conditionsOf(job)
	for _, rule := range []struct {
		broken bool
		detail string
	}{
		{is[complete] && is[failed], "cannot set Complete=True and Failed=true conditions"},
		{is[complete] && is[failure], "cannot set Complete=True and FailureTarget=true conditions"},
		{is[failed] && !is[failure], "cannot set Failed=True condition without the FailureTarget=true condition"},
		{is[complete] && !is[success], "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"},
		{is[success] && is[failed], "cannot set SuccessCriteriaMet=True and Failed=true conditions"},
		{is[success] && is[failure], "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"},
		{job.Spec.SuccessPolicy != nil && !is[success] && is[complete], "cannot set Complete=True for Job with " +
			"SuccessPolicy unless SuccessCriteriaMet=True"},
	} {
		r.is(!rule.broken, field.Invalid(p, field.OmitValueType{}, rule.detail))
	}
}

// jobTimes checks the times of a Job. A Job that was suspended with nothing to do may end without a start.
func (r *report) jobTimes(p *field.Path, job *batchv1.Job) {
	s, is := &job.Status, conditionsOf(job)
	start, completion := p.Child("startTime"), p.Child("completionTime")
	idle := isTrue(job.Spec.Suspend) && job.Spec.Completions != nil && *job.Spec.Completions == 0
	r.is(s.StartTime != nil || !is.finished() || idle, field.Required(start, "startTime is required for finished job"))
	if s.CompletionTime == nil {
		r.is(!is[batchv1.JobComplete], field.Required(completion, "completionTime is required for Complete jobs"))
		return
	}
	r.is(is[batchv1.JobComplete], field.Invalid(completion, s.CompletionTime,
		"cannot set completionTime when there is no Complete=True condition"))
	r.is(s.StartTime == nil || !s.CompletionTime.Before(s.StartTime),
		field.Invalid(completion, s.CompletionTime, "must be equal to or after `startTime`"))
}

// finishedJob checks that a Job without work has no Pods.
func (r *report) finishedJob(p *field.Path, s *batchv1.JobStatus) {
	r.is(s.Active <= 0, field.Invalid(p.Child("active"), s.Active, "active>0 is invalid for finished job"))
	if u := s.UncountedTerminatedPods; u != nil {
		r.is(len(u.Failed)+len(u.Succeeded) == 0, field.Invalid(p.Child("uncountedTerminatedPods"), u,
			"must be empty for finished job"))
	}
	r.is(s.Terminating == nil || *s.Terminating <= 0, field.Invalid(p.Child("terminating"), s.Terminating,
		"terminating>0 is invalid for finished job"))
}

// jobIndexes checks the indexes that have ended, such as "1,3-5".
func (r *report) jobIndexes(p *field.Path, job *batchv1.Job) {
	spec, s := &job.Spec, &job.Status
	completed, failed := p.Child("completedIndexes"), p.Child("failedIndexes")
	indexed := spec.CompletionMode != nil && *spec.CompletionMode == batchv1.IndexedCompletion
	r.is(s.CompletedIndexes == "" || indexed, field.Invalid(completed, s.CompletedIndexes,
		"cannot set non-empty completedIndexes when non-indexed completion mode"))
	if s.FailedIndexes != nil && spec.BackoffLimitPerIndex == nil {
		r.add(field.Invalid(failed, *s.FailedIndexes, "cannot set non-null failedIndexes when backoffLimitPerIndex is null"))
	}
	if spec.Completions == nil {
		return
	}
	n := int(*spec.Completions)
	done, err := indexRanges(s.CompletedIndexes, n)
	if err != nil {
		r.add(field.Invalid(completed, s.CompletedIndexes, "error parsing completedIndexes: "+err.Error()))
	}
	if s.FailedIndexes == nil {
		return
	}
	lost, err := indexRanges(*s.FailedIndexes, n)
	if err != nil && spec.BackoffLimitPerIndex != nil {
		r.add(field.Invalid(failed, *s.FailedIndexes, "error parsing failedIndexes: "+err.Error()))
	}
	if at, both := firstInBoth(done, lost); both {
		r.add(field.Invalid(failed, *s.FailedIndexes, fmt.Sprintf("failedIndexes and completedIndexes overlap at index: %d",
			at)))
	}
}

// indexRange is a range of indexes with both ends.
type indexRange struct{ first, last int }

// indexRanges returns the valid ranges of a text, and the first error. The indexes ascend and are below n.
func indexRanges(text string, n int) (all []indexRange, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		next, problem := parseRange(part, n)
		if problem == nil {
			if len(all) > 0 && all[len(all)-1].last >= next.first {
				problem = fmt.Errorf("non-increasing order, previous: %d, current: %d", all[len(all)-1].last, next.first)
			}
			all = append(all, next)
		}
		if err == nil {
			err = problem
		}
	}
	return all, err
}

func parseRange(text string, n int) (indexRange, error) {
	var ends []int
	parts := strings.Split(text, "-")
	if len(parts) > 2 {
		return indexRange{}, fmt.Errorf("the fragment %q violates the requirement that an index interval can have at most "+
			"two parts separated by '-'", text)
	}
	for _, part := range parts {
		i, err := strconv.Atoi(part)
		if err != nil {
			return indexRange{}, fmt.Errorf("cannot convert string to integer for index: %q", part)
		}
		if i >= n {
			return indexRange{}, errors.New("too large index: " + strconv.Quote(part))
		}
		ends = append(ends, i)
	}
	first, last := ends[0], ends[len(ends)-1]
	if len(ends) == 2 && first >= last {
		return indexRange{}, fmt.Errorf("non-increasing order, previous: %d, current: %d", first, last)
	}
	return indexRange{first, last}, nil
}

// firstInBoth returns the first index that is in both lists.
func firstInBoth(a, b []indexRange) (index int, ok bool) {
	for len(a) > 0 && len(b) > 0 {
		if a[0].first <= b[0].last && b[0].first <= a[0].last {
			return max(a[0].first, b[0].first), true
		}
		if a[0].first <= b[0].first {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return 0, false
}

// jobStatusChange checks that what has ended stays so.
func (r *report) jobStatusChange(job, old *batchv1.Job) {
	p := field.NewPath("status")
	now, was, is, before := &job.Status, &old.Status, conditionsOf(job), conditionsOf(old)
	conditions := p.Child("conditions")
	for _, c := range []batchv1.JobConditionType{batchv1.JobFailed, batchv1.JobComplete, batchv1.JobFailureTarget} {
		r.is(is[c] || !before[c], field.Invalid(conditions, field.OmitValueType{},
			"cannot disable the terminal "+string(c)+"=True condition"))
	}
	r.is(now.Failed >= was.Failed, field.Invalid(p.Child("failed"), now.Failed, "cannot decrease the failed counter"))
	elastic := job.Spec.CompletionMode != nil && *job.Spec.CompletionMode == batchv1.IndexedCompletion &&
		same(job.Spec.Completions, job.Spec.Parallelism)
	r.is(elastic || now.Succeeded >= was.Succeeded, field.Invalid(p.Child("succeeded"), now.Succeeded,
		"cannot decrease the succeeded counter"))
	r.is(now.CompletionTime == nil || was.CompletionTime == nil || now.CompletionTime.Equal(was.CompletionTime),
		field.Invalid(p.Child("completionTime"), now.CompletionTime, "field is immutable"))
	resumed := before[batchv1.JobSuspended] && !is[batchv1.JobSuspended]
	r.is(was.StartTime == nil || was.StartTime.Equal(now.StartTime) || isTrue(job.Spec.Suspend) || resumed,
		field.Invalid(p.Child("startTime"), now.StartTime, "field is immutable for unsuspended job once set"))
	const success = batchv1.JobSuccessCriteriaMet
	r.is(is[success] || !before[success], field.Invalid(conditions, field.OmitValueType{},
		"cannot disable the SuccessCriteriaMet=True condition"))
	r.is(!before[batchv1.JobComplete] || before[success] || !is[success],
		field.Invalid(conditions, field.OmitValueType{}, "cannot set SuccessCriteriaMet=True for Job already has "+
			"Complete=true conditions"))
}
