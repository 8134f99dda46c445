// Everything: open a scene or build a model, run it, ask it questions, draw what came out.
#pragma once

#include "lipkin/batch.hpp"
#include "lipkin/csv.hpp"
#include "lipkin/dynamics.hpp"
#include "lipkin/error.hpp"
#include "lipkin/export.hpp"
#include "lipkin/import.hpp"
#include "lipkin/model.hpp"
#include "lipkin/model_builder.hpp"
#include "lipkin/plot.hpp"
#include "lipkin/recording.hpp"
#include "lipkin/scene.hpp"
#include "lipkin/server.hpp"
#include "lipkin/session.hpp"
#include "lipkin/simulation.hpp"
#include "lipkin/state.hpp"
#include "lipkin/version.hpp"
