/** Where a server is deployed, and what the printed file is called. */
export const deployTargets = ['systemd', 'docker', 'kubernetes', 'nginx', 'caddy'] as const;

export type DeployTarget = (typeof deployTargets)[number];

/** A configuration as the files of a deployment need it. */
export type Deployment = {
	/** Variables of the flags that differ from their defaults, without those that each target sets by itself, in order. */
	readonly variables: readonly (readonly [name: string, value: string])[];
	/** Whether the database is a PostgreSQL, whose URL is a secret. */
	readonly hasDatabase: boolean;
	/** Whether artifacts are in a bucket, whose keys are secrets. */
	readonly hasBucket: boolean;
	/** Whether users log in with an OpenID provider, whose client secret is one. */
	readonly hasOidc: boolean;
	readonly port: number;
	/** The port of metrics; undefined without them. */
	readonly metricsPort: number | undefined;
	/** Where browsers and clients reach it; undefined if none was chosen. */
	readonly publicUrl: URL | undefined;
	/** Whether containers or processes of this machine run sandboxes. */
	readonly engine: string;
	readonly drainSeconds: number;
	/** The program and its script, as they run here. */
	readonly command: readonly string[];
};

/** What the variables of secrets begin with, and the name of each file with one. */
export const secrets = ({
	hasDatabase,
	hasBucket,
	hasOidc,
}: Deployment): readonly (readonly [variable: string, file: string])[] => [
	['SERVICE_SEAL_KEY_FILE', 'seal-key'],
	...(hasDatabase ? ([['SERVICE_SERVE_DATABASE_FILE', 'database']] as const) : []),
	...(hasOidc ? ([['SERVICE_SERVE_OIDC_CLIENT_SECRET_FILE', 'oidc-client-secret']] as const) : []),
	...(hasBucket
		? ([
				['AWS_ACCESS_KEY_ID_FILE', 'bucket-key-id'],
				['AWS_SECRET_ACCESS_KEY_FILE', 'bucket-key'],
			] as const)
		: []),
];

/** How long a server may take to stop: to drain, to finish requests, and to close what else it has. */
export const stopSeconds = ({drainSeconds}: Deployment): number => drainSeconds + 30;

/** The command that makes a seal key. */
export const makeSealKey = 'openssl rand -base64 32';
