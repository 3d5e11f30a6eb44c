{{- /* The pod, of the Deployment or of the StatefulSet. */ -}}
{{- define "carillon.pod" -}}
metadata:
  labels:
    {{- include "carillon.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- if or .Values.podAnnotations .Values.rules }}
  annotations:
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- with .Values.rules }}
    checksum/rules: {{ sha256sum . }}
    {{- end }}
  {{- end }}
spec:
  serviceAccountName: {{ include "carillon.account" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: { type: RuntimeDefault }
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "carillon.selector" . | nindent 10 }}
  containers:
    - name: carillon
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default (.Chart.AppVersion | replace "+" "_") }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [serve]
      ports:
        - { name: http, containerPort: 8080 }
        {{- if .Values.metrics.enabled }}
        - { name: metrics, containerPort: {{ .Values.metrics.port }} }
        {{- end }}
      env:
        {{- include "carillon.env" . | nindent 8 }}
      startupProbe:
        httpGet: { path: /healthz, port: http }
        {{- toYaml .Values.probes.startup | nindent 8 }}
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        {{- toYaml .Values.probes.liveness | nindent 8 }}
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        {{- toYaml .Values.probes.readiness | nindent 8 }}
      lifecycle:
        preStop: { sleep: { seconds: {{ .Values.drainSeconds }} } }
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      {{- $mounts := include "carillon.mounts" . | trim }}
      {{- with $mounts }}
      volumeMounts:
        {{- . | nindent 8 }}
      {{- end }}
  {{- $volumes := include "carillon.volumes" . | trim }}
  {{- with $volumes }}
  volumes:
    {{- . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "carillon.env" -}}
- { name: CARILLON_ADDR, value: "0.0.0.0:8080" }
- { name: CARILLON_DATA_DIR, value: /data }
{{- if .Values.metrics.enabled }}
- { name: CARILLON_ADMIN_ADDR, value: "0.0.0.0:{{ .Values.metrics.port }}" }
{{- end }}
{{- range $name, $value := .Values.settings }}
{{- if not (kindIs "invalid" $value) }}
- name: {{ include "carillon.variable" $name }}
  value: {{ include "carillon.value" $value | quote }}
{{- end }}
{{- end }}
{{- range $name, $from := .Values.secrets }}
{{- if $from }}
- name: {{ include "carillon.variable" $name }}_FILE
  value: /run/secrets/carillon/{{ $name }}
{{- end }}
{{- end }}
{{- if .Values.rules }}
- { name: CARILLON_RULES, value: /etc/carillon/rules.toml }
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "carillon.mounts" -}}
{{- if .Values.single.enabled }}
- { name: data, mountPath: /data }
{{- end }}
{{- if compact (values .Values.secrets) }}
- { name: secrets, mountPath: /run/secrets/carillon, readOnly: true }
{{- end }}
{{- if .Values.rules }}
- { name: rules, mountPath: /etc/carillon, readOnly: true }
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "carillon.volumes" -}}
{{- with .Values.single }}
{{- if and .enabled .existingClaim }}
- name: data
  persistentVolumeClaim: { claimName: {{ .existingClaim }} }
{{- end }}
{{- end }}
{{- if compact (values .Values.secrets) }}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range $name, $from := .Values.secrets }}
      {{- if $from }}
      - secret:
          name: {{ $from.name }}
          items:
            - { key: {{ $from.key | quote }}, path: {{ $name }} }
      {{- end }}
      {{- end }}
{{- end }}
{{- if .Values.rules }}
- name: rules
  configMap: { name: {{ include "carillon.fullname" . }} }
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
