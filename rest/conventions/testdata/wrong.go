// Package testdata has structs that each break one rule of the API conventions. corpus_test.go reads it.
package testdata

import (
	"time"

	"github.com/decorum-go/decorum/apimeta"
)

type PartRoom struct {
	Name string `json:"name" api:"minLength=1,maxLength=63"`
}

type PartOptionalRoom struct {
	Name string `json:"name,omitempty" api:"minLength=1,maxLength=63"`
}

type PartLane struct {
	Lane int32 `json:"lane" api:"min=1,max=9"`
}

type PartAnyRef struct {
	Group    string `json:"group" api:"minLength=1,maxLength=253"`
	Resource string `json:"resource" api:"minLength=1,maxLength=63"`
	Name     string `json:"name" api:"minLength=1,maxLength=253"`
}

type PartKindRef struct {
	Kind string `json:"kind" api:"minLength=1,maxLength=63"`
	Name string `json:"name" api:"minLength=1,maxLength=253"`
}

type PartGroupRef struct {
	Group string `json:"group" api:"minLength=1,maxLength=253"`
	Name  string `json:"name" api:"minLength=1,maxLength=253"`
}

type PartFieldRef struct {
	Group     string `json:"group" api:"minLength=1,maxLength=253"`
	Resource  string `json:"resource" api:"minLength=1,maxLength=63"`
	Name      string `json:"name" api:"minLength=1,maxLength=253"`
	FieldPath string `json:"fieldPath" api:"minLength=1,maxLength=253"`
}

type PartVersionRef struct {
	Group    string `json:"group" api:"minLength=1,maxLength=253"`
	Version  string `json:"version" api:"minLength=1,maxLength=63"`
	Resource string `json:"resource" api:"minLength=1,maxLength=63"`
	Name     string `json:"name" api:"minLength=1,maxLength=253"`
}

type PartFarRef struct {
	Name      string `json:"name" api:"minLength=1,maxLength=253"`
	Namespace string `json:"namespace" api:"minLength=1,maxLength=63"`
}

type PartKeyed struct {
	Type               string       `json:"type" api:"minLength=1,maxLength=63"`
	Status             string       `json:"status" api:"enum=True|False|Unknown"`
	Reason             string       `json:"reason" api:"minLength=1,maxLength=63"`
	Message            string       `json:"message" api:"minLength=1,maxLength=900"`
	LastTransitionTime apimeta.Time `json:"lastTransitionTime"`
}

type PartFreeStatus struct {
	Type               string       `json:"type" api:"minLength=1,maxLength=63"`
	Status             string       `json:"status" api:"minLength=1,maxLength=9"`
	Reason             string       `json:"reason" api:"minLength=1,maxLength=63"`
	Message            string       `json:"message" api:"minLength=1,maxLength=900"`
	LastTransitionTime apimeta.Time `json:"lastTransitionTime"`
}

type PartBoolStatus struct {
	Type               string       `json:"type" api:"minLength=1,maxLength=63"`
	Status             *bool        `json:"status,omitempty" api:"required"`
	Reason             string       `json:"reason" api:"minLength=1,maxLength=63"`
	Message            string       `json:"message" api:"minLength=1,maxLength=900"`
	LastTransitionTime apimeta.Time `json:"lastTransitionTime"`
}

type PartTwoValued struct {
	Type               string       `json:"type" api:"minLength=1,maxLength=63"`
	Status             string       `json:"status" api:"enum=True|False"`
	Reason             string       `json:"reason" api:"minLength=1,maxLength=63"`
	Message            string       `json:"message" api:"minLength=1,maxLength=900"`
	LastTransitionTime apimeta.Time `json:"lastTransitionTime"`
}

type PartEmptyReason struct {
	Type               string       `json:"type" api:"minLength=1,maxLength=63"`
	Status             string       `json:"status" api:"enum=True|False|Unknown"`
	Reason             *string      `json:"reason,omitempty" api:"required,maxLength=63"`
	Message            string       `json:"message" api:"minLength=1,maxLength=900"`
	LastTransitionTime apimeta.Time `json:"lastTransitionTime"`
}

type PartKebabReason struct {
	Type               string       `json:"type" api:"minLength=1,maxLength=63"`
	Status             string       `json:"status" api:"enum=True|False|Unknown"`
	Reason             string       `json:"reason" api:"minLength=1,maxLength=63,pattern='^[a-z-]+$'"`
	Message            string       `json:"message" api:"minLength=1,maxLength=900"`
	LastTransitionTime apimeta.Time `json:"lastTransitionTime"`
}

type PartShoutedReason struct {
	Type               string       `json:"type" api:"minLength=1,maxLength=63"`
	Status             string       `json:"status" api:"enum=True|False|Unknown"`
	Reason             string       `json:"reason" api:"minLength=1,maxLength=63,pattern='^[A-Z_]+$'"`
	Message            string       `json:"message" api:"minLength=1,maxLength=900"`
	LastTransitionTime apimeta.Time `json:"lastTransitionTime"`
}

type PartNoReason struct {
	Type               string       `json:"type" api:"minLength=1,maxLength=63"`
	Status             string       `json:"status" api:"enum=True|False|Unknown"`
	Message            string       `json:"message" api:"minLength=1,maxLength=900"`
	LastTransitionTime apimeta.Time `json:"lastTransitionTime"`
}

type PartNumericTime struct {
	Type               string `json:"type" api:"minLength=1,maxLength=63"`
	Status             string `json:"status" api:"enum=True|False|Unknown"`
	Reason             string `json:"reason" api:"minLength=1,maxLength=63"`
	Message            string `json:"message" api:"minLength=1,maxLength=900"`
	LastTransitionTime int64  `json:"lastTransitionTime" api:"min=1,max=9007199254740991"`
}

type PartLowerType struct {
	Type               string       `json:"type" api:"minLength=1,maxLength=63,pattern='^[a-z]+$'"`
	Status             string       `json:"status" api:"enum=True|False|Unknown"`
	Reason             string       `json:"reason" api:"minLength=1,maxLength=63"`
	Message            string       `json:"message" api:"minLength=1,maxLength=900"`
	LastTransitionTime apimeta.Time `json:"lastTransitionTime"`
}

// found: declarative
// plural: domigrations
type DoMigration struct{}

// found: declarative
// plural: createtenants
type CreateTenant struct{}

// found: declarative
// plural: reportgenerators
type ReportGenerator struct{}

// found: declarative
// plural: indexrebuilders
type IndexRebuilder struct{}

// found: declarative
// plural: certificaterenewers
type CertificateRenewer struct{}

// found: declarative
// plural: volumemigrators
type VolumeMigrator struct{}

// found: controller-kind
// plural: brewcontrollers
type BrewController struct{}

// found: acronym
// plural: httpprobes
type HttpProbe struct{}

// found: acronym
// plural: marinevpcs
type MarineVpc struct{}

// found: acronym
// plural: orchards
type ORCHARD struct{}

// found: plural
// plural: ferrys
type Ferrys struct{}

// found: plural
// plural: policys
type Policy struct{}

// found: plural
// plural: batchs
type Batch struct{}

// found: plural
// plural: harvest
type Harvest struct{}

// found: list-kind
// plural: watchlists
type WatchList struct{}

// found: phase status.state
type StatusState struct {
	State string `json:"state,omitempty" api:"enum=Idle|Busy|Broken"`
}

// found: phase status.phase
type StatusPhase struct {
	Phase string `json:"phase,omitempty" api:"minLength=1,maxLength=20"`
}

// found: phase status.lifecycle
type StatusLifecycle struct {
	Lifecycle string `json:"lifecycle,omitempty" api:"enum=Planned|Running|Ended"`
}

// found: phase status.backupStage
type StatusBackupStage struct {
	BackupStage string `json:"backupStage,omitempty" api:"enum=Copying|Done"`
}

// found: status-bool status.healthy
type StatusHealthy struct {
	Healthy *bool `json:"healthy,omitempty"`
}

// found: status-bool status.synced
type StatusSynced struct {
	Synced *bool `json:"synced,omitempty"`
}

// found: conditions status.conditions
type StatusConditionMap struct {
	Conditions []apimeta.Condition `json:"conditions,omitempty" api:"list=atomic"`
}

// found: conditions status.conditions
type StatusConditionKey struct {
	Conditions []PartKeyed `json:"conditions,omitempty" api:"list=map,key=type,key=reason"`
}

// found: conditions status.conditions
type StatusConditionTexts struct {
	Conditions []string `json:"conditions,omitempty" api:"list=set,items.minLength=1,items.maxLength=30"`
}

// found: condition-fields status.conditions
type StatusConditionFreeStatus struct {
	Conditions []PartFreeStatus `json:"conditions,omitempty" api:"list=map,key=type"`
}

// found: condition-fields status.conditions
type StatusConditionBoolStatus struct {
	Conditions []PartBoolStatus `json:"conditions,omitempty" api:"list=map,key=type"`
}

// found: condition-fields status.conditions
type StatusConditionTwoValued struct {
	Conditions []PartTwoValued `json:"conditions,omitempty" api:"list=map,key=type"`
}

// found: condition-fields status.conditions
type StatusConditionEmptyReason struct {
	Conditions []PartEmptyReason `json:"conditions,omitempty" api:"list=map,key=type"`
}

// found: condition-fields status.conditions
type StatusConditionKebabReason struct {
	Conditions []PartKebabReason `json:"conditions,omitempty" api:"list=map,key=type"`
}

// found: condition-fields status.conditions
type StatusConditionShoutedReason struct {
	Conditions []PartShoutedReason `json:"conditions,omitempty" api:"list=map,key=type"`
}

// found: condition-fields status.conditions
type StatusConditionNoReason struct {
	Conditions []PartNoReason `json:"conditions,omitempty" api:"list=map,key=type"`
}

// found: condition-fields status.conditions, time-format status.conditions[].lastTransitionTime
type StatusConditionNumericTime struct {
	Conditions []PartNumericTime `json:"conditions,omitempty" api:"list=map,key=type"`
}

// found: condition-fields status.conditions
type StatusConditionLowerType struct {
	Conditions []PartLowerType `json:"conditions,omitempty" api:"list=map,key=type"`
}

// found: conditions-place status.engine.conditions
type StatusConditionBelow struct {
	Engine struct {
		Conditions []apimeta.Condition `json:"conditions,omitempty" api:"list=map,key=type"`
	} `json:"engine,omitzero"`
}

// found: conditions status.checks
type StatusConditionOtherName struct {
	Checks []apimeta.Condition `json:"checks,omitempty" api:"list=map,key=type,maxItems=9"`
}

// found: conditions status.readiness
type StatusConditionAlone struct {
	Readiness *apimeta.Condition `json:"readiness,omitempty"`
}

// found: conditions-place spec.conditions
type ConditionInSpec struct {
	Conditions []apimeta.Condition `json:"conditions,omitempty" api:"list=map,key=type,maxItems=9"`
}

// found: float spec.slope
type Float struct {
	Slope *float64 `json:"slope,omitempty" api:"min=0,max=1"`
}

// found: float status.load
type StatusFloat struct {
	Load *float32 `json:"load,omitempty" api:"min=0,max=1"`
}

// found: unsigned spec.seats
type Unsigned struct {
	Seats uint16 `json:"seats" api:"min=1,max=9"`
}

// found: int-size spec.seats
type Int struct {
	Seats int `json:"seats" api:"min=1,max=9"`
}

// found: int-size spec.decks
type Int8 struct {
	Decks int8 `json:"decks" api:"min=1,max=9"`
}

// found: int64-range spec.offset
type Wide struct {
	Offset int64 `json:"offset" api:"min=1,max=9223372036854775807"`
}

// found: numeric-enum spec.tier
type NumericEnum struct {
	Tier int32 `json:"tier" api:"enum=1|2|3"`
}

// found: constants spec.mood
type ConstantCapitals struct {
	Mood string `json:"mood" api:"enum=HAPPY|GRUMPY"`
}

// found: constants spec.shade
type ConstantShortCapitals struct {
	Shade string `json:"shade" api:"enum=RED|TAN"`
}

// found: constants spec.pace
type ConstantMixedCapitals struct {
	Pace string `json:"pace" api:"enum=LOW|MEDIUM|HIGH"`
}

// found: constants spec.pace
type ConstantSnake struct {
	Pace string `json:"pace" api:"enum=VERY_SLOW|FAST"`
}

// found: constants spec.finish
type ConstantLower struct {
	Finish string `json:"finish" api:"enum=matte|glossy"`
}

// found: constants spec.finish
type ConstantKebab struct {
	Finish string `json:"finish" api:"enum=half-matte|glossy"`
}

// found: constants spec.finish
type ConstantCamel struct {
	Finish string `json:"finish" api:"enum=halfMatte|Glossy"`
}

// found: constants spec.carrier
type ConstantAcronym struct {
	Carrier string `json:"carrier" api:"enum=Grpc|HTTPS"`
}

// found: constants spec.meals[]
type ConstantInList struct {
	Meals []string `json:"meals,omitempty" api:"list=set,items.enum=breakfast|Dinner"`
}

// found: constants spec.engine
type ConstantEngine struct {
	Engine string `json:"engine" api:"enum=slow|fast"`
}

// found: union spec.rail
type UnionRequired struct {
	Type string    `json:"type" api:"enum=Rail|Road"`
	Rail PartLane  `json:"rail"`
	Road *PartLane `json:"road,omitempty"`
}

// found: union spec.rail
type UnionRequiredPointer struct {
	Type string    `json:"type" api:"enum=Rail|Road"`
	Rail *PartLane `json:"rail,omitempty" api:"required"`
	Road *PartLane `json:"road,omitempty"`
}

// found: discriminator spec.carriage, union spec.rail
type UnionRequiredOther struct {
	Carriage string    `json:"carriage" api:"enum=Rail|Road"`
	Rail     PartLane  `json:"rail"`
	Road     *PartLane `json:"road,omitempty"`
}

// found: discriminator spec.carriage
type UnionDiscriminator struct {
	Carriage string    `json:"carriage" api:"enum=Rail|Road"`
	Rail     *PartLane `json:"rail,omitempty"`
	Road     *PartLane `json:"road,omitempty"`
}

// found: discriminator spec.sort
type UnionTagged struct {
	Sort string    `json:"sort" api:"discriminator,enum=Rail|Road"`
	Rail *PartLane `json:"rail,omitempty" api:"member"`
	Road *PartLane `json:"road,omitempty" api:"member"`
}

// found: union spec.literal
type UnionScalar struct {
	Type    string    `json:"type" api:"enum=Literal|Lookup"`
	Literal string    `json:"literal" api:"minLength=1,maxLength=20"`
	Lookup  *PartLane `json:"lookup,omitempty"`
}

// found: union spec.rail
type UnionDefault struct {
	Type string    `json:"type" api:"enum=Rail|Road"`
	Rail *PartLane `json:"rail,omitempty" api:"default='{\"lane\":1}'"`
	Road *PartLane `json:"road,omitempty"`
}

// found: union spec.railTrack
type UnionLongName struct {
	Type      string    `json:"type" api:"enum=Rail|Road"`
	RailTrack PartLane  `json:"railTrack"`
	Road      *PartLane `json:"road,omitempty"`
}

// found: default-overrides spec.fenced
type DefaultTrue struct {
	Fenced bool `json:"fenced,omitempty" api:"default=true"`
}

// found: default-overrides spec.greeting
type DefaultText struct {
	Greeting string `json:"greeting,omitempty" api:"default=hello,maxLength=20"`
}

// found: default-overrides spec.guests
type DefaultNumber struct {
	Guests int32 `json:"guests,omitempty" api:"default=4,min=0,max=20"`
}

// found: optional-pointer spec.fenced
type OptionalBool struct {
	Fenced bool `json:"fenced,omitempty"`
}

// found: optional-pointer spec.guests
type OptionalNumber struct {
	Guests int32 `json:"guests,omitempty" api:"min=0,max=20"`
}

// found: optional-omitted spec.fenced
type OptionalNull struct {
	Fenced *bool `json:"fenced"`
}

// found: required-zero spec.guests
type RequiredZeroNumber struct {
	Guests int32 `json:"guests" api:"min=0,max=20"`
}

// found: required-zero spec.fenced
type RequiredZeroBool struct {
	Fenced bool `json:"fenced"`
}

// found: required-zero spec.greeting
type RequiredZeroText struct {
	Greeting string `json:"greeting" api:"maxLength=20"`
}

// found: required-null spec.guests
type RequiredNull struct {
	Guests *int32 `json:"guests" api:"required,min=0,max=20"`
}

// found: required-null spec.rooms
type RequiredNullList struct {
	Rooms []PartRoom `json:"rooms" api:"list=map,key=name,maxItems=9"`
}

// found: required-pointer spec.guests
type RequiredPointer struct {
	Guests *int32 `json:"guests,omitempty" api:"required,min=1,max=20"`
}

// found: default-of-required spec.guests
type RequiredDefault struct {
	Guests *int32 `json:"guests,omitempty" api:"required,default=2,min=0,max=20"`
}

// found: nullable spec.greeting
type Nullable struct {
	Greeting *string `json:"greeting,omitempty" api:"nullable,maxLength=20"`
}

// found: optional-omitted spec.room
type StructKept struct {
	Room PartOptionalRoom `json:"room,omitempty"`
}

// found: declarative spec.doSweep
type DoSweep struct {
	DoSweep *bool `json:"doSweep,omitempty"`
}

// found: declarative spec.restartPump
type RestartPump struct {
	RestartPump *bool `json:"restartPump,omitempty"`
}

// found: declarative spec.flushPipes
type FlushPipes struct {
	FlushPipes *bool `json:"flushPipes,omitempty"`
}

// found: declarative spec.rebuildIndex
type RebuildIndex struct {
	RebuildIndex *bool `json:"rebuildIndex,omitempty"`
}

// found: declarative spec.createBackup
type CreateBackup struct {
	CreateBackup string `json:"createBackup,omitempty" api:"minLength=1,maxLength=20"`
}

// found: declarative spec.reboot
type Reboot struct {
	Reboot *bool `json:"reboot,omitempty"`
}

// found: declarative spec.rotateKeys
type RotateKeys struct {
	RotateKeys *bool `json:"rotateKeys,omitempty"`
}

// found: declarative spec.sendMail
type SendMail struct {
	SendMail *bool `json:"sendMail,omitempty"`
}

// found: declarative spec.plantedBy
type PlantedBy struct {
	PlantedBy string `json:"plantedBy" api:"minLength=1,maxLength=20"`
}

// found: declarative spec.wonBy
type WonBy struct {
	WonBy string `json:"wonBy" api:"minLength=1,maxLength=20"`
}

// found: declarative spec.expiresAt
type ExpiresAt struct {
	ExpiresAt string `json:"expiresAt" api:"minLength=1,maxLength=20"`
}

// found: declarative spec.pipeCleaner
type PipeCleaner struct {
	PipeCleaner string `json:"pipeCleaner" api:"minLength=1,maxLength=20"`
}

// found: ref-target spec.ownerRef
type RefNoGroup struct {
	OwnerRef *PartKindRef `json:"ownerRef,omitempty"`
}

// found: ref-target spec.ownerRef
type RefNoResource struct {
	OwnerRef *PartGroupRef `json:"ownerRef,omitempty"`
}

// found: ref-target spec.sourceRef
type RefNoVersion struct {
	SourceRef *PartFieldRef `json:"sourceRef,omitempty"`
}

// found: ref-version spec.ownerRef
type RefVersioned struct {
	OwnerRef *PartVersionRef `json:"ownerRef,omitempty"`
}

// found: ref-namespace spec.harborRef
type RefFar struct {
	HarborRef *PartFarRef `json:"harborRef,omitempty"`
}

// found: ref-namespace spec.vaultNamespace
type RefTwoFields struct {
	VaultName      string `json:"vaultName" api:"minLength=1,maxLength=63"`
	VaultNamespace string `json:"vaultNamespace" api:"minLength=1,maxLength=63"`
}

// found: ref-name spec.harbor
type RefWithoutSuffix struct {
	Harbor *PartAnyRef `json:"harbor,omitempty"`
}

// found: ref-name spec.harbors
type RefsWithoutSuffix struct {
	Harbors []PartAnyRef `json:"harbors,omitempty" api:"list=atomic,maxItems=9"`
}

// found: ref-object spec.harborRef
type RefAsText struct {
	HarborRef string `json:"harborRef" api:"minLength=1,maxLength=63"`
}

// found: ref-object spec.harborRefs
type RefsAsText struct {
	HarborRefs []string `json:"harborRefs,omitempty" api:"list=set,maxItems=9,items.minLength=1,items.maxLength=63"`
}

// found: object-name spec.secret
type SecretText struct {
	Secret string `json:"secret" api:"minLength=1,maxLength=63"`
}

// found: object-name spec.loginSecret
type LoginSecretText struct {
	LoginSecret string `json:"loginSecret" api:"minLength=1,maxLength=63"`
}

// found: object-name spec.pullSecrets
type SecretTexts struct {
	PullSecrets []string `json:"pullSecrets,omitempty" api:"list=set,maxItems=9,items.minLength=1,items.maxLength=63"`
}

// found: object-name spec.configMaps
type ConfigMapTexts struct {
	ConfigMaps []string `json:"configMaps,omitempty" api:"list=set,maxItems=9,items.minLength=1,items.maxLength=63"`
}

// found: object-name spec.thing
type ThingText struct {
	Thing string `json:"thing" api:"minLength=1,maxLength=63"`
}

// found: time-format spec.hatchDate
type HatchDate struct {
	HatchDate string `json:"hatchDate" api:"minLength=1,maxLength=20"`
}

// found: time-format spec.launchDate
type LaunchDate struct {
	LaunchDate string `json:"launchDate" api:"minLength=1,maxLength=20,pattern='^[0-9]{2}[.][0-9]{2}[.][0-9]{4}$'"`
}

// found: time-format spec.sailTime
type SailTime struct {
	SailTime string `json:"sailTime" api:"minLength=1,maxLength=20"`
}

// found: time-format spec.sailTime
type EpochTime struct {
	SailTime int64 `json:"sailTime" api:"min=1,max=9007199254740991"`
}

// found: time-format spec.licenseExpiry
type LicenseExpiry struct {
	LicenseExpiry string `json:"licenseExpiry" api:"minLength=1,maxLength=20"`
}

// found: duration spec.logRetention
type Retention struct {
	LogRetention string `json:"logRetention" api:"minLength=1,maxLength=20"`
}

// found: duration spec.cookieAge
type MaxAge struct {
	CookieAge string `json:"cookieAge" api:"minLength=1,maxLength=20"`
}

// found: duration spec.nap
type GoDuration struct {
	Nap time.Duration `json:"nap" api:"min=1,max=9007199254740991"`
}

// found: duration spec.nap
type DurationByPattern struct {
	Nap string `json:"nap" api:"minLength=1,maxLength=20,pattern='^[0-9]+(s|m|h)$'"`
}

// found: duration spec.nap
type DurationByDefault struct {
	Nap string `json:"nap,omitempty" api:"default=90s,minLength=1,maxLength=20"`
}

// found: duration spec.nap
type DurationFormat struct {
	Nap string `json:"nap" api:"minLength=1,maxLength=20,format=duration"`
}

// found: duration spec.napSeconds
type SecondsText struct {
	NapSeconds string `json:"napSeconds" api:"minLength=1,maxLength=20"`
}

// found: unit spec.dockDelay
type DelayNumber struct {
	DockDelay int32 `json:"dockDelay" api:"min=1,max=20"`
}

// found: unit spec.idleTimeoutMs
type IdleTimeoutMs struct {
	IdleTimeoutMs int32 `json:"idleTimeoutMs" api:"min=1,max=20"`
}

// found: unit spec.pollMs
type PollMs struct {
	PollMs int32 `json:"pollMs" api:"min=1,max=20"`
}

// found: unit spec.cacheAge
type CacheAge struct {
	CacheAge int32 `json:"cacheAge" api:"min=1,max=20"`
}

// found: period-seconds spec.pumpIntervalMinutes
type PumpInterval struct {
	PumpIntervalMinutes int32 `json:"pumpIntervalMinutes" api:"min=1,max=20"`
}

// found: period-seconds spec.intervalHours
type PlainInterval struct {
	IntervalHours int32 `json:"intervalHours" api:"min=1,max=20"`
}

// found: time-name status.sailTimestamp
type StatusStamp struct {
	SailTimestamp *apimeta.Time `json:"sailTimestamp,omitempty"`
}

// found: time-name status.lastSail
type StatusLastSail struct {
	LastSail *apimeta.Time `json:"lastSail,omitempty"`
}

// found: unit spec.diskSize
type DiskSize struct {
	DiskSize int64 `json:"diskSize" api:"min=1,max=20"`
}

// found: unit spec.maxUploadSize
type UploadSize struct {
	MaxUploadSize int64 `json:"maxUploadSize" api:"min=1,max=20"`
}

// found: unit spec.memory
type MemoryText struct {
	Memory string `json:"memory" api:"minLength=1,maxLength=20"`
}

// found: unit spec.cacheCapacity
type CacheCapacity struct {
	CacheCapacity int32 `json:"cacheCapacity" api:"min=1,max=20"`
}

// found: unit spec.waterTemperature
type WaterTemperature struct {
	WaterTemperature int32 `json:"waterTemperature" api:"min=1,max=20"`
}

// found: unit spec.mastHeight
type MastHeight struct {
	MastHeight int32 `json:"mastHeight" api:"min=1,max=20"`
}

// found: unit spec.ticketPrice
type TicketPrice struct {
	TicketPrice int32 `json:"ticketPrice" api:"min=1,max=20"`
}

// found: abbreviation spec.peakConns
type Conns struct {
	PeakConns int32 `json:"peakConns" api:"min=1,max=20"`
}

// found: abbreviation spec.dockAddr
type Addr struct {
	DockAddr string `json:"dockAddr" api:"minLength=1,maxLength=20"`
}

// found: abbreviation spec.cfgName
type Cfg struct {
	CfgName string `json:"cfgName" api:"minLength=1,maxLength=20"`
}

// found: abbreviation spec.descr
type Descr struct {
	Descr string `json:"descr" api:"minLength=1,maxLength=20"`
}

// found: abbreviation spec.desc
type Desc struct {
	Desc string `json:"desc" api:"minLength=1,maxLength=20"`
}

// found: abbreviation spec.attrs
type Attrs struct {
	Attrs []string `json:"attrs,omitempty" api:"list=set,maxItems=9,items.minLength=1,items.maxLength=20"`
}

// found: abbreviation spec.thresh
type Thresh struct {
	Thresh int32 `json:"thresh" api:"min=1,max=20"`
}

// found: abbreviation spec.mgrCount
type Mgr struct {
	MgrCount int32 `json:"mgrCount" api:"min=1,max=20"`
}

// found: abbreviation spec.qty
type Qty struct {
	Qty int32 `json:"qty" api:"min=1,max=20"`
}

// found: abbreviation spec.bckpCount
type Bckp struct {
	BckpCount int32 `json:"bckpCount" api:"min=1,max=20"`
}

// found: abbreviation spec.repls
type Replic struct {
	Repls int32 `json:"repls" api:"min=1,max=20"`
}

// found: acronym spec.preferHttp2
type Http2 struct {
	PreferHttp2 *bool `json:"preferHttp2,omitempty"`
}

// found: acronym spec.publicIp
type PublicIp struct {
	PublicIp string `json:"publicIp" api:"minLength=1,maxLength=20"`
}

// found: acronym spec.homeUrl
type HomeUrl struct {
	HomeUrl string `json:"homeUrl" api:"minLength=1,maxLength=20"`
}

// found: acronym spec.minGpus
type GpuCount struct {
	MinGpus int32 `json:"minGpus" api:"min=1,max=20"`
}

// found: acronym spec.seatLIMIT
type PeakLOAD struct {
	SeatLIMIT int32 `json:"seatLIMIT" api:"min=1,max=20"`
}

// found: json-name spec.Seats
type Capital struct {
	Seats int32 `json:"Seats" api:"min=1,max=20"`
}

// found: json-name spec.deck_seats, go-name spec.deck_seats
type Snake struct {
	DeckSeats int32 `json:"deck_seats" api:"min=1,max=20"`
}

// found: json-name spec.deck-seats, go-name spec.deck-seats
type Kebab struct {
	DeckSeats int32 `json:"deck-seats" api:"min=1,max=20"`
}

// found: json-name spec.myport
type MyPort struct {
	Myport int32 `json:"myport" api:"min=1,max=20"`
}

// found: json-name spec.maxseats
type MaxSeats struct {
	Maxseats int32 `json:"maxseats" api:"min=1,max=20"`
}

// found: json-name spec.nodecount
type NodeCount struct {
	Nodecount int32 `json:"nodecount" api:"min=1,max=20"`
}

// found: go-name spec.seats
type GoName struct {
	Chairs int32 `json:"seats" api:"min=1,max=20"`
}

// found: is-bool spec.isOpen
type IsOpen struct {
	IsOpen *bool `json:"isOpen,omitempty"`
}

// found: kind-field spec.kind
type KindField struct {
	Kind string `json:"kind" api:"enum=Sail|Steam"`
}

// found: key spec.labelKey
type KeyCapitals struct {
	LabelKey string `json:"labelKey,omitempty" api:"default=harbor.example.com/DockName,minLength=1,maxLength=60"`
}

// found: key spec.ownerAnnotation
type KeySnake struct {
	OwnerAnnotation string `json:"ownerAnnotation,omitempty" api:"default=harbor.example.com/dock_name,minLength=1,maxLength=60"`
}

// found: key spec.labelKey
type KeyUnprefixed struct {
	LabelKey string `json:"labelKey,omitempty" api:"default=dock,minLength=1,maxLength=60"`
}

// found: key spec.podLabels
type KeyInMap struct {
	PodLabels map[string]string `json:"podLabels,omitempty" api:"default='{\"harbor.example.com/DockName\":\"x\"}',maxProperties=9,values.maxLength=60"`
}

// found: reserved-prefix spec.labelKey
type KeyReserved struct {
	LabelKey string `json:"labelKey,omitempty" api:"default=dock.kubernetes.io/name,minLength=1,maxLength=60"`
}

// found: reserved-prefix spec.homeNamespace
type NamespaceReserved struct {
	HomeNamespace string `json:"homeNamespace,omitempty" api:"default=kube-docks,minLength=1,maxLength=60"`
}

// found: string-bounds spec.motto
type FreeText struct {
	Motto string `json:"motto" api:"minLength=1"`
}

// found: number-bounds spec.seats
type FreeNumber struct {
	Seats *int32 `json:"seats,omitempty" api:"min=0"`
}

// found: list-bounds spec.rooms
type FreeList struct {
	Rooms []PartRoom `json:"rooms,omitempty" api:"list=map,key=name"`
}

// found: list-type spec.rooms
type UntypedList struct {
	Rooms []PartRoom `json:"rooms,omitempty" api:"maxItems=9"`
}

// found: map-bounds spec.data
type FreeMap struct {
	Data map[string]string `json:"data,omitempty" api:"values.maxLength=9"`
}

// found: map-of-objects spec.rooms
type MapOfRooms struct {
	Rooms map[string]PartRoom `json:"rooms,omitempty" api:"maxProperties=9"`
}

// found: schema spec.extra
type AnyField struct {
	Extra any `json:"extra,omitempty"`
}
