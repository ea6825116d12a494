import {type Deployment, makeSealKey, secrets, stopSeconds} from './deployment.ts';

/** Returns a word of a unit file: `%` begins a specifier there, and quotes keep spaces. */
function unitWord(text: string): string {
	const escaped = text.replaceAll('%', '%%').replaceAll('$', '$$$$');
	return /^[\w@%+=:,./$-]+$/.test(escaped) ? escaped : `"${escaped.replace(/["\\]/g, '\\$&')}"`;
}

/** Returns a unit of systemd. Its user has nothing but the state folder, and every secret is a credential. */
export function systemdUnit(deployment: Deployment): string {
	const {variables, command, engine} = deployment;
	const kept = secrets(deployment);
	const isLocal = engine === 'local';
	const environment = [
		['SERVICE_HOME', '/var/lib/service'],
		['SERVICE_SERVE_LOG_LEVEL', 'info'],
		...variables.filter(([name]) => name !== 'SERVICE_SERVE_LOG_LEVEL'),
	];
	return `# /etc/systemd/system/service-server.service
#
#   useradd --system --home-dir /var/lib/service --shell /usr/sbin/nologin service
#   install -d -m 700 /etc/service
${kept.map(([, file]) => `#   ${secretLine(file)}`).join('\n')}
#   systemctl daemon-reload && systemctl enable --now service-server

[Unit]
Description=Server of the agent platform
Wants=network-online.target
After=network-online.target postgresql.service

[Service]
ExecStart=${[...command, 'serve', '--json'].map(unitWord).join(' ')}
${environment.map(([name, value]) => `Environment=${unitWord(`${name}=${value}`)}`).join('\n')}
${kept.map(([name, file]) => `LoadCredential=${file}:/etc/service/${file}\nEnvironment=${name}=%d/${file}`).join('\n')}
User=service
Group=service
StateDirectory=service
StateDirectoryMode=0700
WorkingDirectory=/var/lib/service
UMask=0077
Restart=on-failure
RestartSec=2
# A wrong configuration stays wrong.
RestartPreventExitStatus=2
SuccessExitStatus=130
TimeoutStopSec=${stopSeconds(deployment)}
${isLocal ? '# Sandboxes keep running while the server restarts.\nKillMode=process' : 'KillMode=mixed'}
LimitNOFILE=65536

NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
PrivateTmp=yes
PrivateDevices=${isLocal ? 'no' : 'yes'}
ProtectSystem=strict
ProtectHome=read-only
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
${isLocal ? '# Sandboxes mount /proc and make namespaces of their own.\n' : 'ProtectKernelTunables=yes\nProtectControlGroups=yes\nRestrictNamespaces=yes\n'}RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes
SystemCallArchitectures=native
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK

[Install]
WantedBy=multi-user.target
`;
}

function secretLine(file: string): string {
	return file === 'seal-key'
		? `${makeSealKey} | install -m 600 /dev/stdin /etc/service/seal-key    # once; back it up`
		: `install -m 600 /dev/stdin /etc/service/${file}    # type it, then Ctrl+D`;
}
