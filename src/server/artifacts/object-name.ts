import {createHash} from 'node:crypto';

const contentOid = /^sha256:([\da-f]{64})$/;

/** The SHA-256, in hex, that the bytes of an oid must have; undefined where the oid is a name and no hash. */
export function hashOf(oid: string): string | undefined {
	return contentOid.exec(oid)?.[1];
}

/**
 * What the bytes of an oid are stored under: safe in a path, a URL and a bucket, whatever the oid says. A workspace has its
 * own, so that nobody gets another tenant's bytes by naming their hash in a span.
 */
export function objectName(workspaceId: string, oid: string): string {
	const hash = hashOf(oid);
	return `${workspaceId}/${hash ? `sha256-${hash}` : `oid-${createHash('sha256').update(oid).digest('hex')}`}`;
}
