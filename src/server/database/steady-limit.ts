import {type LimitNode, SqliteDialect, SqliteQueryCompiler} from 'kysely';

/**
 * SQLite with limits that it doesn't plan by. It plans by the value that is bound to a plain `limit ?`, and therefore
 * compiles a prepared statement again for every execution, which takes up to ten times as long as the read itself. With
 * a sign the limit is an expression, whose value isn't known while SQLite plans.
 */
export class SteadyLimitDialect extends SqliteDialect {
	override createQueryCompiler(): SqliteQueryCompiler {
		return new SteadyLimitCompiler();
	}
}

class SteadyLimitCompiler extends SqliteQueryCompiler {
	protected override visitLimit(node: LimitNode): void {
		this.append('limit +');
		this.visitNode(node.limit);
	}
}
