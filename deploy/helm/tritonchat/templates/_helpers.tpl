{{- define "tritonchat.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "tritonchat.labels" -}}
app.kubernetes.io/name: tritonchat
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "tritonchat.selector" -}}
app.kubernetes.io/name: tritonchat
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tritonchat.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "tritonchat.keys" -}}
{{ .Values.apiKeys.secret | default (printf "%s-keys" (include "tritonchat.name" .)) }}
{{- end }}

{{/* The highest number of servers, all of which the proxy knows: those that are not there are not ready. */}}
{{- define "tritonchat.maxReplicas" -}}
{{- if .Values.autoscaling.enabled }}{{ max .Values.replicas .Values.autoscaling.maxReplicas }}{{ else }}{{ .Values.replicas }}{{ end -}}
{{- end }}

{{- define "tritonchat.security" -}}
allowPrivilegeEscalation: false
capabilities: {drop: [ALL]}
{{- end }}
