// What a user should know about how a model's file was read. Pure function: any thread.
#pragma once

#include <string>
#include <vector>

namespace earshot::model {

struct CheckpointLayout;
struct ReadingChoice;

struct ModelNote {
    std::string what;   // after the file's name: "holds 2 networks, ..."
    std::string advice; // the options of the command line that change it
};

// Of several networks, which one is used; and values of the frontend that were assumed. Nothing of what the
// user stated.
std::vector<ModelNote> notesOn(const CheckpointLayout& layout, const ReadingChoice& choice);

} // namespace earshot::model
