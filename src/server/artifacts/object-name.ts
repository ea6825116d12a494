import {createHash} from 'node:crypto';

/** In characters. Databases look oids up, and PostgreSQL can't index texts of any length. */
export const maxOidLength = 255;

const contentOid = /^sha256:([\da-f]{64})$/;

/** Returns the SHA-256 (in hex) that an oid requires; undefined if the oid is a name. */
export function hashOf(oid: string): string | undefined {
	return contentOid.exec(oid)?.[1];
}

/**
 * Returns the name that an oid's bytes are stored under. It is safe in paths, URLs and buckets. Each workspace has its
 * own, so that no tenant reads another's bytes by naming their hash.
 */
export function objectName(workspaceId: string, oid: string): string {
	const hash = hashOf(oid);
	return `${workspaceId}/${hash ? `sha256-${hash}` : `oid-${createHash('sha256').update(oid).digest('hex')}`}`;
}
