/** An index that says whether anything refers to the bytes of an artifact. */
export const artifactOids: readonly string[] = ['create index artifacts_by_oid on artifacts (workspace_id, oid)'];
