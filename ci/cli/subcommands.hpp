// SPDX-License-Identifier: Apache-2.0
// The subcommands of `warpgauge`, each in the file of its name. A function adds one to the program:
// options, help, examples, exit statuses, and its work.
#pragma once

namespace CLI {
class App;
}

namespace warpgauge::ci {

class Context;

void add_run(CLI::App& program, Context& context);
void add_gate(CLI::App& program, Context& context);
void add_compare(CLI::App& program, Context& context);
void add_approve(CLI::App& program, Context& context);
void add_report(CLI::App& program, Context& context);
void add_baseline(CLI::App& program, Context& context);
void add_history(CLI::App& program, Context& context);
void add_doctor(CLI::App& program, Context& context);
void add_init(CLI::App& program, Context& context);
void add_policy_commands(CLI::App& program, Context& context);

void add_merge(CLI::App& program, Context& context);
void add_static(CLI::App& program, Context& context);
void add_affected(CLI::App& program, Context& context);
void add_import(CLI::App& program, Context& context);
void add_table(CLI::App& program, Context& context);
void add_lines(CLI::App& program, Context& context);
void add_calibrate(CLI::App& program, Context& context);
void add_bisect(CLI::App& program, Context& context);
void add_profile(CLI::App& program, Context& context);
void add_metrics(CLI::App& program, Context& context);
void add_completion(CLI::App& program, Context& context);
void add_manual(CLI::App& program, Context& context);

}  // namespace warpgauge::ci
