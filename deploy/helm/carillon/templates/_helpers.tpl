{{- define "carillon.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- define "carillon.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "carillon.labels" -}}
{{ include "carillon.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | replace "+" "_" | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end -}}

{{- define "carillon.account" -}}
{{- .Values.serviceAccount.name | default (ternary (include "carillon.fullname" .) "default" .Values.serviceAccount.create) -}}
{{- end -}}

{{- /* The variable of a setting. */ -}}
{{- define "carillon.variable" -}}
CARILLON_{{ . | upper | replace "-" "_" }}
{{- end -}}

{{- /* The value of a setting: numbers are whole, lists have commas. */ -}}
{{- define "carillon.value" -}}
{{- if kindIs "float64" . -}}{{ int64 . }}{{- else if kindIs "slice" . -}}{{ join "," . }}{{- else -}}{{ . }}{{- end -}}
{{- end -}}

{{- /* What no schema can say: fails with one sentence. */ -}}
{{- define "carillon.check" -}}
{{- $settings := .Values.settings -}}
{{- $secrets := .Values.secrets -}}
{{- if not (index $settings "public-url") -}}
{{- fail "settings.public-url is required: how browsers reach Carillon, such as https://notices.example.com" -}}
{{- end -}}
{{- range $name, $from := $secrets -}}
{{- if and $from (index $settings $name) -}}
{{- fail (printf "%s is in settings and in secrets: keep one" $name) -}}
{{- end -}}
{{- end -}}
{{- $database := or (index $secrets "database-url") (index $settings "database-host") -}}
{{- if .Values.single.enabled -}}
{{- if ne (int .Values.replicas) 1 -}}
{{- fail "single.enabled has its data in SQLite, which one instance can use: set replicas to 1, or use PostgreSQL" -}}
{{- end -}}
{{- if $database -}}
{{- fail "single.enabled has its data in SQLite: remove the database from settings and secrets, or disable single" -}}
{{- end -}}
{{- else -}}
{{- if not $database -}}
{{- fail "a database is required: secrets.database-url, or settings.database-host, database-user and database-name with secrets.database-password; or enable single" -}}
{{- end -}}
{{- if not (or (index $secrets "redis-url") (index $settings "redis-url")) -}}
{{- fail "a Valkey or Redis is required: secrets.redis-url or settings.redis-url; or enable single" -}}
{{- end -}}
{{- if not (index $secrets "session-keys") -}}
{{- fail "secrets.session-keys is required: all instances must have the same keys" -}}
{{- end -}}
{{- end -}}
{{- end -}}
