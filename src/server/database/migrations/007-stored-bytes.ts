/**
 * How much an organization has stored. Spans that are there are counted, by the lengths that the engines know without reading
 * the texts; artifacts of before are not, since the database does not know how large they are.
 */
export const storedBytes: readonly string[] = [
	`create table stored_bytes (
		organization_id text primary key references organizations (id) on delete cascade,
		bytes bigint not null
	)`,
	`insert into stored_bytes (organization_id, bytes)
		select organization_id, sum(octet_length(attributes) + octet_length(resource) + octet_length(events)
			+ octet_length(name) + coalesce(octet_length(status_message), 0) + 200)
		from spans group by organization_id`,
];
