import {X509Certificate} from 'node:crypto';
import {closeSync, constants, fstatSync, openSync, readdirSync, readFileSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {createSecureContext, rootCertificates, type SecureContext} from 'node:tls';
import type {Environment} from '../core/environment.ts';

/** Files and folders of certificates that are trusted besides Node's own, by variable: curl's, OpenSSL's and Node's. */
export const certificateVariables = ['NODE_EXTRA_CA_CERTS', 'CURL_CA_BUNDLE', 'SSL_CERT_FILE', 'SSL_CERT_DIR'] as const;

export type CertificateVariable = (typeof certificateVariables)[number];

/** A file or folder that a variable names, and how many certificates are used of it. */
export type CertificateSource = {
	readonly variable: CertificateVariable;
	readonly path: string;
	readonly count: number;
	/** Why it can't be used, or not all of it, such as `can't be read`. */
	readonly fault: string | undefined;
};

export type OwnCertificates = {
	/** In PEM, each once. */
	readonly certificates: readonly string[];
	readonly sources: readonly CertificateSource[];
};

const block = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;
/** Larger files hold no certificates, in bytes. */
const largestFile = 16 * 1024 * 1024;
const maxFiles = 2000;

/** Reads the certificates that the environment names. Never throws: what can't be used is among the faults of its source. */
export function readCertificates(env: Environment): OwnCertificates {
	const certificates = new Set<string>();
	const sources = certificateVariables.flatMap(variable =>
		pathsOf(env, variable).map((path): CertificateSource => {
			const found = variable === 'SSL_CERT_DIR' ? readFolder(path) : readFile(path);
			for (const certificate of found.certificates) {
				certificates.add(certificate);
			}

			return {variable, path, count: found.certificates.length, fault: found.fault};
		}),
	);
	return {certificates: [...certificates], sources};
}

export type OwnTrust = {
	/** What connections trust: Node's certificates and those of the environment; undefined if it names no others. */
	readonly context: SecureContext | undefined;
	/** The first source of certificates that can't be used, as a sentence; undefined if all can. */
	readonly fault: string | undefined;
};

/** The context that was created last, and what it trusts besides Node's certificates: most connections trust the same. */
let created: {readonly others: string; readonly context: SecureContext} | undefined;

/** Returns what connections trust. */
export function readTrust(env: Environment): OwnTrust {
	const {certificates, sources} = readCertificates(env);
	const source = sources.find(({fault}) => fault !== undefined);
	const fault = source && `${source.variable} names ${source.path}, which ${source.fault}.`;
	const more = certificates.filter(certificate => !nodesOwn().has(unspaced(certificate)));
	if (more.length === 0) {
		return {context: undefined, fault};
	}

	const others = more.join('\n');
	if (created?.others !== others) {
		created = {others, context: createSecureContext({ca: [...rootCertificates, ...more]})};
	}

	return {context: created.context, fault};
}

function pathsOf(env: Environment, variable: CertificateVariable): readonly string[] {
	const value = env[variable] ?? '';
	return (variable === 'SSL_CERT_DIR' ? value.split(delimiter) : [value]).filter(path => path.trim() !== '');
}

type Found = {readonly certificates: readonly string[]; readonly fault?: string | undefined};

function readFile(path: string): Found {
	let text: string;
	let file: number | undefined;
	try {
		// The other end of a pipe is not waited for.
		file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
		const stats = fstatSync(file);
		if (!stats.isFile() || stats.size > largestFile) {
			return {certificates: [], fault: stats.isFile() ? 'is too large' : 'is not a file'};
		}

		text = readFileSync(file, 'utf8');
	} catch (error) {
		const code = error instanceof Error && 'code' in error ? error.code : undefined;
		return {certificates: [], fault: code === 'ENOENT' ? "doesn't exist" : `can't be read (${code ?? 'unknown'})`};
	} finally {
		if (file !== undefined) {
			closeSync(file);
		}
	}

	const blocks = [...text.matchAll(block)].map(([found]) => found.replaceAll(/(?:TRUSTED|X509) (?=CERTIFICATE)/g, ''));
	const certificates = blocks.filter(isReadable);
	const broken = blocks.length - certificates.length;
	return {
		certificates,
		fault:
			blocks.length === 0
				? 'holds no certificate in PEM'
				: broken > 0
					? `holds ${broken === 1 ? 'a broken certificate' : `${broken} broken certificates`}`
					: undefined,
	};
}

/** Reads the files of a folder. Those without a certificate, such as lists and keys, are no fault. */
function readFolder(path: string): Found {
	let names: readonly string[];
	try {
		names = readdirSync(path).slice(0, maxFiles);
	} catch (error) {
		const code = error instanceof Error && 'code' in error ? error.code : undefined;
		return {certificates: [], fault: code === 'ENOENT' ? "doesn't exist" : `can't be read (${code ?? 'unknown'})`};
	}

	const certificates = [...new Set(names.flatMap(name => readFile(join(path, name)).certificates))];
	return {certificates, fault: certificates.length === 0 ? 'holds no certificate in PEM' : undefined};
}

function unspaced(certificate: string): string {
	return certificate.replaceAll(/\s/g, '');
}

let own: ReadonlySet<string> | undefined;

/** Returns Node's certificates without white space: bundles of systems have most of them, too. */
function nodesOwn(): ReadonlySet<string> {
	own ??= new Set(rootCertificates.map(unspaced));
	return own;
}

/** Which other certificates can be read. Parsing one takes up to a millisecond, and several variables often name the same bundle. */
const readable = new Map<string, boolean>();

function isReadable(certificate: string): boolean {
	const key = unspaced(certificate);
	if (nodesOwn().has(key)) {
		return true;
	}

	const isGood = readable.get(key) ?? isParsed(certificate);
	readable.set(key, isGood);
	return isGood;
}

function isParsed(certificate: string): boolean {
	try {
		return new X509Certificate(certificate).subject !== undefined;
	} catch {
		return false;
	}
}
