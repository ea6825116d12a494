import {accounts} from './migrations/001-accounts.ts';
import {credits} from './migrations/002-credits.ts';
import {sandboxes} from './migrations/003-sandboxes.ts';
import {traces} from './migrations/004-traces.ts';
import {work} from './migrations/005-work.ts';
import {passwordCodes} from './migrations/006-password-codes.ts';
import {storedBytes} from './migrations/007-stored-bytes.ts';
import {signingKeys} from './migrations/008-signing-keys.ts';
import {executeTokens} from './migrations/009-execute-tokens.ts';
import {apiKeyParents} from './migrations/010-api-key-parents.ts';
import {unstartedSandboxes} from './migrations/011-unstarted-sandboxes.ts';
import {machines} from './migrations/013-machines.ts';
import {serviceProxy} from './migrations/014-service-proxy.ts';
import {sandboxLogs} from './migrations/015-sandbox-logs.ts';
import {dueSandboxes, machineFolders, sweeps} from './migrations/017-sweeps.ts';
import {indexes, spanIndexes} from './migrations/020-indexes.ts';
import {keptCounts} from './migrations/021-kept-counts.ts';
import {storageLimits} from './migrations/022-storage-limits.ts';
import {artifactOids} from './migrations/023-artifact-oids.ts';
import {auditLog} from './migrations/030-audit-log.ts';
import {administrators} from './migrations/031-administrators.ts';
import {accountOrigins} from './migrations/032-account-origins.ts';
import {suspendedOrganizations} from './migrations/033-suspended-organizations.ts';
import {rateLimits} from './migrations/034-rate-limits.ts';
import {invitations} from './migrations/035-invitations.ts';
import {identities} from './migrations/036-identities.ts';
import {listIndexes} from './migrations/037-list-indexes.ts';
import {listTotals} from './migrations/038-list-totals.ts';
import {deletedOrganizations} from './migrations/039-deleted-organizations.ts';
import {providerSessions} from './migrations/040-provider-sessions.ts';
import {filteredFindings} from './migrations/041-filtered-findings.ts';
import type {Statement} from './statement.ts';

/** Every schema change since the first release, in order. */
export const migrations: Readonly<Record<string, readonly Statement[]>> = {
	'001-accounts': accounts,
	'002-credits': credits,
	'003-sandboxes': sandboxes,
	'004-traces': traces,
	'005-work': work,
	'006-password-codes': passwordCodes,
	'007-stored-bytes': storedBytes,
	'008-signing-keys': signingKeys,
	'009-execute-tokens': executeTokens,
	'010-api-key-parents': apiKeyParents,
	'011-unstarted-sandboxes': unstartedSandboxes,
	'012-text-order': [],
	'013-machines': machines,
	'014-service-proxy': serviceProxy,
	'015-sandbox-logs': sandboxLogs,
	'017-due-sandboxes': dueSandboxes,
	'017-machine-folders': machineFolders,
	'017-sweeps': sweeps,
	'020-indexes': indexes,
	'020-span-indexes': spanIndexes,
	'021-kept-counts': keptCounts,
	'022-storage-limits': storageLimits,
	'023-artifact-oids': artifactOids,
	'030-audit-log': auditLog,
	'031-administrators': administrators,
	'032-account-origins': accountOrigins,
	'033-suspended-organizations': suspendedOrganizations,
	'034-rate-limits': rateLimits,
	'035-invitations': invitations,
	'036-identities': identities,
	'037-list-indexes': listIndexes,
	'038-list-totals': listTotals,
	'039-deleted-organizations': deletedOrganizations,
	'040-provider-sessions': providerSessions,
	'041-filtered-findings': filteredFindings,
};

/**
 * Migrations of what an earlier one created in older versions. It now creates the result at once, so that a new database
 * needs none of them: changing a table takes SQLite longer than creating all of them.
 */
export const upgrades: Readonly<Record<string, string>> = {
	'009-execute-tokens': '003-sandboxes',
	'010-api-key-parents': '001-accounts',
	'011-unstarted-sandboxes': '003-sandboxes',
	'017-due-sandboxes': '003-sandboxes',
	'017-machine-folders': '013-machines',
	'031-administrators': '001-accounts',
	'032-account-origins': '001-accounts',
	'033-suspended-organizations': '001-accounts',
	'034-rate-limits': '001-accounts',
	'039-deleted-organizations': '001-accounts',
	'040-provider-sessions': '001-accounts',
};
