import {roleName, sandboxRules} from '../sandboxes/kubernetes/cluster-role.ts';
import {type Deployment, makeSealKey, secrets, stopSeconds} from './deployment.ts';

/** What the image of a server is made of. */
const dockerfile = `FROM node:20-bookworm-slim AS build
WORKDIR /opt/service
COPY . .
RUN npm ci && npm prune --omit=dev --ignore-scripts

FROM node:20-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap ca-certificates && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/service/package.json /opt/service/
COPY --from=build /opt/service/node_modules /opt/service/node_modules
COPY --from=build /opt/service/dist /opt/service/dist
RUN install -d -o node -g node -m 700 /data
USER node
ENV SERVICE_HOME=/data NODE_ENV=production
ENTRYPOINT ["node", "/opt/service/dist/service.js"]
CMD ["serve", "--json"]`;

const indent = (text: string, by: number) => text.replace(/^(?=.)/gm, ' '.repeat(by));
const quote = (text: string) => JSON.stringify(text);

/** The variables of a server in a container, which listens on every address of it. */
function containerVariables({variables, metricsPort}: Deployment): readonly (readonly [name: string, value: string])[] {
	const own = ['SERVICE_SERVE_HOST', 'SERVICE_SERVE_METRICS', 'SERVICE_SERVE_DATA', 'SERVICE_SERVE_LOG_LEVEL'];
	return [
		['SERVICE_SERVE_HOST', '0.0.0.0'],
		['SERVICE_SERVE_LOG_LEVEL', 'info'],
		...(metricsPort === undefined ? [] : [['SERVICE_SERVE_METRICS', `0.0.0.0:${metricsPort}`] as const]),
		...variables.filter(([name]) => !own.includes(name)),
	];
}

/** Returns a compose file, with the Dockerfile of the image in it. It belongs into the folder of the repository. */
export function composeFile(deployment: Deployment): string {
	const {port, metricsPort, engine} = deployment;
	const kept = secrets(deployment);
	const variables = [
		...containerVariables(deployment),
		...kept.map(([name, file]) => [name, `/run/secrets/${file}`] as const),
	];
	const health = `fetch('http://127.0.0.1:${port}/readyz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))`;
	return `# compose.yaml, in the folder of the repository
#
#   mkdir -m 700 secrets
${kept.map(([, file]) => (file === 'seal-key' ? `#   ${makeSealKey} > secrets/seal-key    # once; back it up` : `#   cat > secrets/${file}    # type it, then Ctrl+D`)).join('\n')}
#   chmod 444 secrets/*    # the folder keeps others out, and the user of the container reads them
#   docker compose up -d --build
${engine === 'local' ? '#\n# Sandboxes are off in a container that may not make namespaces. Choose an engine with --engine, or read `help serve`.\n' : ''}
services:
  service:
    build:
      context: .
      dockerfile_inline: |
${indent(dockerfile, 8)}
    init: true
    restart: unless-stopped
    stop_grace_period: ${stopSeconds(deployment)}s
    environment:
${variables.map(([name, value]) => `      ${name}: ${quote(value)}`).join('\n')}
    secrets: [${kept.map(([, file]) => file).join(', ')}]
    ports:
      - ${quote(`127.0.0.1:${port}:${port}`)}
${metricsPort === undefined ? '' : `      - ${quote(`127.0.0.1:${metricsPort}:${metricsPort}`)}\n`}    volumes:
      - data:/data
    read_only: true
    tmpfs: [/tmp]
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
    healthcheck:
      test: ["CMD", "node", "-e", ${quote(health)}]
      interval: 10s
      timeout: 5s
      start_period: 60s

volumes:
  data:

secrets:
${kept.map(([, file]) => `  ${file}:\n    file: ./secrets/${file}`).join('\n')}
`;
}

/** Returns what lets a server run sandboxes as pods beside it, and nothing else. */
function sandboxAccess(): string {
	const rules = sandboxRules.map(rule => `  - ${JSON.stringify(rule)}`).join('\n');
	return `---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: service
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: ${roleName}
rules:
${rules}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: ${roleName}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ${roleName}}
subjects:
  - {kind: ServiceAccount, name: service}
`;
}

/** Returns the objects of a server in Kubernetes. With SQLite it is one server with a volume; with PostgreSQL, two. */
export function kubernetesObjects(deployment: Deployment): string {
	const {port, metricsPort, hasDatabase, drainSeconds, engine} = deployment;
	const runsPods = /^kubernetes(?:=|$)/.test(engine);
	const kept = secrets(deployment);
	const variables = [
		...containerVariables(deployment).filter(
			([name]) => name !== 'SERVICE_SERVE_DRAIN' && !(runsPods && name === 'SERVICE_SERVE_ENGINE'),
		),
		// The context of a file of this machine means nothing there: sandboxes run beside the server.
		...(runsPods ? [['SERVICE_SERVE_ENGINE', 'kubernetes'] as const] : []),
		// The endpoints of a Service learn of an end a moment later than the pod.
		['SERVICE_SERVE_DRAIN', String(Math.max(drainSeconds, 5))] as const,
		...kept.map(([name, file]) => [name, `/run/secrets/service/${file}`] as const),
	];
	const probe = (path: string, fields: string) =>
		`{httpGet: {path: ${path}, port: http}, periodSeconds: 5, timeoutSeconds: 2, ${fields}}`;
	return `# service.yaml
#
#   kubectl create secret generic service ${kept.map(([, file]) => `--from-file=${file}`).join(' ')}
#   kubectl apply -f service.yaml
#
# The files of the secret: seal-key is from \`${makeSealKey}\`, once; back it up.${hasDatabase ? ' database is its URL.' : ''}
# The image is built as \`serve deploy docker\` says.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: service
  labels: {app.kubernetes.io/name: service}
spec:
  replicas: ${hasDatabase ? 2 : 1}
  strategy: ${hasDatabase ? '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 0, maxSurge: 1}}' : '{type: Recreate}'}
  selector:
    matchLabels: {app.kubernetes.io/name: service}
  template:
    metadata:
      labels: {app.kubernetes.io/name: service}
${metricsPort === undefined ? '' : `      annotations: {prometheus.io/scrape: "true", prometheus.io/port: ${quote(String(metricsPort))}}\n`}    spec:
      # A Service called "service-serve" would set SERVICE_SERVE_PORT.
      enableServiceLinks: false
${runsPods ? '      serviceAccountName: service\n' : '      automountServiceAccountToken: false\n'}      terminationGracePeriodSeconds: ${Math.max(drainSeconds, 5) + 30}
      securityContext: {runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000, seccompProfile: {type: RuntimeDefault}}
      containers:
        - name: service
          image: service:latest
          args: [serve, --json]
          env:
${variables.map(([name, value]) => `            - {name: ${name}, value: ${quote(value)}}`).join('\n')}
          ports:
            - {name: http, containerPort: ${port}}
${metricsPort === undefined ? '' : `            - {name: metrics, containerPort: ${metricsPort}}\n`}          # It waits for its database as long as the first probe allows.
          startupProbe: ${probe('/healthz', 'failureThreshold: 120')}
          livenessProbe: ${probe('/healthz', 'failureThreshold: 6')}
          readinessProbe: ${probe('/readyz', 'failureThreshold: 1')}
          resources:
            requests: {cpu: 250m, memory: 256Mi}
            limits: {memory: 1Gi}
          securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
          volumeMounts:
            - {name: data, mountPath: /data}
            - {name: tmp, mountPath: /tmp}
            - {name: secrets, mountPath: /run/secrets/service, readOnly: true}
      volumes:
        - {name: tmp, emptyDir: {}}
        - {name: secrets, secret: {secretName: service, defaultMode: 0440}}
        - ${hasDatabase ? '{name: data, emptyDir: {}}' : '{name: data, persistentVolumeClaim: {claimName: service}}'}
---
apiVersion: v1
kind: Service
metadata:
  name: service
spec:
  selector: {app.kubernetes.io/name: service}
  ports:
    - {name: http, port: 80, targetPort: http}
${
	hasDatabase
		? ''
		: `---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: service
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 20Gi}}
`
}${runsPods ? sandboxAccess() : ''}`;
}
