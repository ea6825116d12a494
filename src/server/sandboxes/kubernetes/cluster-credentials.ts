import {execFile} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import * as z from 'zod/mini';
import type {Environment} from '../../../core/environment.ts';
import {AppError} from '../../../core/error.ts';
import {parseJson} from '../../../core/json.ts';
import {redact} from '../../../core/secrets/redact.ts';
import {type Secret, secret} from '../../../core/secrets/secret.ts';
import {explainFileError} from '../../../storage/file-error.ts';
import type {ClusterCredentials, CredentialProgram} from './kubeconfig.ts';

/** Who this server is at one moment. */
export type Identity = {
	readonly token?: Secret | undefined;
	readonly cert?: string | undefined;
	readonly key?: Secret | undefined;
};

export type IdentitySource = {
	/** Returns who this server is. Reads a file again after a minute, runs a program again when its answer expires. */
	readonly current: () => Promise<Identity>;
	/** Forgets what was read, because the cluster refused it. */
	readonly forget: () => void;
};

/** How long the content of a file counts: the cluster replaces tokens long before they expire. */
const fileMs = 60_000;

/** How long before its end an answer of a program is too old. */
const marginMs = 30_000;

const programTimeoutMs = 60_000;
const maxAnswerBytes = 1024 * 1024;

/** What programs of the usual vendors need of the environment. Credentials of this program aren't passed on (SAFETY 15). */
const passedVariables =
	/^(?:PATH|HOME|USER|LOGNAME|LANG|LC_.*|TMPDIR|XDG_.*|SSL_CERT_.*|KUBE.*|(?:HTTPS?|NO|ALL)_PROXY|AWS_.*|AZURE_.*|AAD_.*|CLOUDSDK_.*|GOOGLE_APPLICATION_CREDENTIALS|USE_GKE_.*|OCI_.*|DIGITALOCEAN_.*|SYSTEMROOT|APPDATA|USERPROFILE)$/i;

export function createIdentity(
	{cert, key, token, tokenFile, program}: ClusterCredentials,
	{env, now = Date.now}: {readonly env: Environment; readonly now?: () => number},
): IdentitySource {
	let known: {readonly identity: Promise<Identity>; until: number} | undefined;
	const read = async (): Promise<{readonly identity: Identity; readonly until: number}> => {
		if (program) {
			return await runProgram(program, env, now());
		}

		return tokenFile === undefined
			? {identity: {cert, key, token}, until: Number.POSITIVE_INFINITY}
			: {identity: {cert, key, token: await readToken(tokenFile)}, until: now() + fileMs};
	};
	return {
		async current() {
			if (known && now() < known.until) {
				return await known.identity;
			}

			const reading = read();
			// Requests at the same time wait for one run of the program.
			const entry = {identity: reading.then(({identity}) => identity), until: Number.POSITIVE_INFINITY};
			// Who waits for it gets its failure; nobody may wait.
			entry.identity.catch(() => undefined);
			known = entry;
			try {
				const {identity, until} = await reading;
				entry.until = until;
				return identity;
			} catch (error) {
				if (known === entry) {
					known = undefined;
				}

				throw error;
			}
		},
		forget() {
			known = undefined;
		},
	};
}

async function readToken(path: string): Promise<Secret> {
	try {
		return secret((await readFile(path, 'utf8')).trim());
	} catch (error) {
		throw explainFileError(error, 'read', path);
	}
}

const answerSchema = z.looseObject({
	kind: z.literal('ExecCredential'),
	apiVersion: z.string(),
	status: z.looseObject({
		token: z.optional(z.string()),
		clientCertificateData: z.optional(z.string()),
		clientKeyData: z.optional(z.string()),
		expirationTimestamp: z.optional(z.nullable(z.string())),
	}),
});

/** Runs a program, and returns what it says, and until when that counts. Throws AppError("failed") that quotes the program. */
async function runProgram(
	{apiVersion, command, args, env: own, cluster}: CredentialProgram,
	env: Environment,
	nowMs: number,
) {
	const spec = {interactive: false, ...(cluster && {cluster})};
	const passed = Object.entries(env).filter(([name]) => passedVariables.test(name));
	const variables = {
		...Object.fromEntries(passed),
		...own,
		KUBERNETES_EXEC_INFO: JSON.stringify({apiVersion, kind: 'ExecCredential', spec}),
	};
	const said = await new Promise<string>((resolve, reject) => {
		const child = execFile(
			command,
			[...args],
			{env: variables, timeout: programTimeoutMs, maxBuffer: maxAnswerBytes, windowsHide: true},
			(error, stdout, stderr) => {
				if (error) {
					const last = redact(stderr.trim().split('\n').at(-1)?.trim().slice(0, 300) ?? '');
					const why = 'code' in error && error.code === 'ENOENT' ? 'it was not found' : last || 'it failed';
					reject(failed(command, why, error));
				} else {
					resolve(stdout);
				}
			},
		);
		child.stdin?.end();
	});
	const {data} = answerSchema.safeParse(parseJson(said));
	const {token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp: end} = data?.status ?? {};
	if (data?.apiVersion !== apiVersion || (!token && !(cert && key))) {
		throw failed(command, `it printed no ExecCredential of ${apiVersion}`);
	}

	const endMs = end ? Date.parse(end) : Number.POSITIVE_INFINITY;
	return {
		identity: {token: token ? secret(token) : undefined, cert, key: key ? secret(key) : undefined},
		// An answer that has expired, or never parses, is used once.
		until: Number.isNaN(endMs) ? nowMs : Math.max(nowMs + 1, endMs - marginMs),
	};
}

function failed(command: string, why: string, cause?: unknown): AppError {
	const name = command.split(/[/\\]/).at(-1) ?? command;
	return new AppError(
		'failed',
		`The exec program ${name} of the kubeconfig gave no credentials: ${why.replace(/\.$/, '')}.`,
		{
			cause,
		},
	);
}
