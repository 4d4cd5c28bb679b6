{{- define "hes.labels" -}}
app.kubernetes.io/name: hes
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "hes.selector" -}}
app.kubernetes.io/name: hes
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{/* Pod of a node. Arguments: root, part, roles, resources. */}}
{{- define "hes.pod" -}}
metadata:
  labels:
    {{- include "hes.selector" . | nindent 4 }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  # Balancers notice, exchanges end, the process stops.
  terminationGracePeriodSeconds: {{ add .root.Values.drainSeconds .root.Values.drainNoticeSeconds 30 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    seccompProfile: { type: RuntimeDefault }
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "hes.selector" . | nindent 10 }}
  containers:
    - name: head-end
      image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}"
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      env:
        - name: HES_NODE_NAME
          valueFrom: { fieldRef: { fieldPath: metadata.name } }
        {{- if .roles }}
        - { name: HES_ROLES, value: {{ .roles | quote }} }
        {{- end }}
        - { name: HES_DEMO, value: {{ .root.Values.demo | quote }} }
        - { name: HES_SECURE_COOKIES, value: "on" }
        - { name: HES_TRUSTED_PROXY, value: {{ join "," .root.Values.trustedProxies | quote }} }
        - { name: HES_HTTP_CONNECTIONS_PER_ADDRESS, value: "5000" }
        - { name: HES_DLMS_PORT, value: "4059" }
        - { name: HES_DRAIN_S, value: {{ .root.Values.drainSeconds | quote }} }
        - { name: HES_DRAIN_NOTICE_S, value: {{ .root.Values.drainNoticeSeconds | quote }} }
        - { name: HES_METRICS_PORT, value: {{ .root.Values.metrics.port | quote }} }
        - { name: HES_METRICS_HOST, value: "0.0.0.0" }
        {{- range $name, $value := .root.Values.settings }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
      envFrom:
        - secretRef: { name: {{ .root.Values.existingSecret }} }
      ports:
        - { name: http, containerPort: 8080 }
        - { name: metrics, containerPort: {{ .root.Values.metrics.port }} }
        {{- if or (not .roles) (contains "field" .roles) }}
        - { name: dlms, containerPort: 4059 }
        {{- end }}
      # Migrations of a large database run before the port opens.
      startupProbe:
        httpGet: { path: /livez, port: http }
        periodSeconds: 5
        failureThreshold: 180
      livenessProbe:
        httpGet: { path: /livez, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 2
        timeoutSeconds: 3
        failureThreshold: 2
      resources:
        {{- toYaml .resources | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
  volumes:
    {{- if not .keepsData }}
    - { name: data, emptyDir: {} }
    {{- end }}
    - { name: tmp, emptyDir: {} }
  {{- with .root.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
