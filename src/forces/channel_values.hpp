// Values of channels and of the expressions made of them.
#pragma once

#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

// Reads one channel; what need_of() asks for must be up to date in the workspace.
double channel_value(const ModelData& model, const State& state, const Workspace& work, const Channel& channel);

// Allocates nothing: uses work.slots.
double expression_value(const ModelData& model, const State& state, Workspace& work, const ChannelExpression& e);

double signal_value(const ModelData& model, const State& state, Workspace& work, const SignalData& signal);

// Whether its value needs more than the state.
bool looks_at_kinematics(const SignalData& signal);

// Linear between rows, constant outside.
double table_value(const Table& table, double t);

}  // namespace lipkin
