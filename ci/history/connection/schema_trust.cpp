// SPDX-License-Identifier: Apache-2.0
#include "ci/history/connection/schema_trust.hpp"

#include <fmt/format.h>

#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

// A superuser may do anything anyway, and so may the owner of the database in it. Roles that the
// current user is a member of do not count: all their members would run code as each other.
constexpr const char* kTrusted =
    "(select oid from pg_roles where rolname = current_user or rolsuper "
    "or rolname = 'pg_database_owner' "
    "union all select datdba from pg_database where datname = current_database())";

// Who owns what in the schema, by its kind.
constexpr const char* kOwned =
    "select 'the schema' as what, nspowner as owner from pg_namespace where nspname = 'warpgauge' "
    "union all select 'the relation ' || relname, relowner from pg_class "
    "where relnamespace = (select oid from pg_namespace where nspname = 'warpgauge') "
    "union all select 'the type ' || typname, typowner from pg_type "
    "where typnamespace = (select oid from pg_namespace where nspname = 'warpgauge')";

// What is no plain table, or runs by itself when one is read or written. No migration makes any of
// it. Internal triggers are those of foreign keys. One from a table outside deletes and changes
// there what refers to a row of ours, and runs what is on that table.
constexpr const char* kForeign =
    "with schema as (select oid from pg_namespace where nspname = 'warpgauge'), "
    "relations as (select oid, relname, relkind, relispartition, relrowsecurity, "
    "relforcerowsecurity from pg_class "
    "where relnamespace in (select oid from schema)) "
    "select 'the relation ' || relname || ', which is no table' as what from relations "
    "where relkind not in ('r', 'i') or relispartition "
    "union all select 'row security of ' || relname from relations "
    "where relrowsecurity or relforcerowsecurity "
    "union all select 'the policy ' || polname from pg_policy "
    "where polrelid in (select oid from relations) "
    "union all select 'the rule ' || rulename from pg_rewrite "
    "where ev_class in (select oid from relations) "
    "union all select 'the trigger ' || tgname from pg_trigger "
    "where tgrelid in (select oid from relations) and not tgisinternal "
    "union all select 'the foreign key ' || conname || ' of ' || cast(conrelid as regclass) "
    "from pg_constraint where contype = 'f' and "
    "(conrelid in (select oid from relations)) <> (confrelid in (select oid from relations)) "
    "union all select 'a default of ' || relname from pg_attrdef "
    "join relations on relations.oid = adrelid "
    "union all select 'the constraint ' || conname from pg_constraint "
    "where connamespace in (select oid from schema) and contype in ('c', 't', 'x') "
    "union all select 'an index of ' || relname || ' on an expression' from pg_index "
    "join relations on relations.oid = indrelid where indexprs is not null or indpred is not null "
    "union all select 'an heir of ' || relname from pg_inherits "
    "join relations on relations.oid in (inhparent, inhrelid) "
    "where relkind <> 'i' "
    "union all select 'the function ' || proname from pg_proc "
    "where pronamespace in (select oid from schema) "
    "union all select 'the operator ' || oprname from pg_operator "
    "where oprnamespace in (select oid from schema) "
    "union all select 'the type ' || typname from pg_type "
    "where typnamespace in (select oid from schema) and typtype <> 'c' and typcategory <> 'A' "
    "and not (typtype = 'd' and typname = 'blob' and typdefault is null "
    "and typbasetype = cast('bytea' as regtype)) "
    "union all select 'the column ' || attname || ' of ' || relname from pg_attribute "
    "join relations on relations.oid = attrelid join pg_type on pg_type.oid = atttypid "
    "where attnum > 0 and relkind = 'r' and typnamespace not in (select oid from schema) "
    "and typnamespace <> (select oid from pg_namespace where nspname = 'pg_catalog')";

void check_owners(soci::session& sql, const std::string& database_name) {
  std::string what;
  std::string owner;
  sql << fmt::format(
      "select what, pg_get_userbyid(owner) from ({}) as owned "
      "where owner not in {} order by what limit 1",
      kOwned, kTrusted),
      soci::into(what), soci::into(owner);
  if (!sql.got_data()) return;
  throw Error(
      kExitNotMeasured,
      fmt::format("{}: {} warpgauge belongs to {}, who is neither you nor the owner of the "
                  "database nor a superuser, and could run code as you: let the owner of "
                  "the database have the schema, as docs/guide/history.md says",
                  database_name, what == "the schema" ? what : one_line(what) + " of the schema",
                  one_line(owner)));
}

}  // namespace

bool may_use_schema(soci::session& sql, const std::string& database_name) {
  sql << "set search_path to pg_catalog, pg_temp";
  int schemas = 0;
  sql << "select count(*) from pg_namespace where nspname = 'warpgauge'", soci::into(schemas);
  if (schemas > 0) {
    check_owners(sql, database_name);
    std::string what;
    sql << fmt::format("select what from ({}) as foreign_things order by what limit 1", kForeign),
        soci::into(what);
    if (sql.got_data()) {
      throw Error(kExitNotMeasured,
                  fmt::format("{}: the schema warpgauge holds {}, which no warpgauge put there and "
                              "which could run code: drop it, or move it to another schema",
                              database_name, one_line(what)));
    }
  }
  // The catalog's names go before all others; what is created is created in the schema.
  sql << "set search_path to warpgauge, pg_temp";
  return schemas > 0;
}

}  // namespace warpgauge::ci
